import type { IssuedOperator } from '@animal-store/contract/admin';
import { expect, test } from 'vitest';
import { adminToken, useAdmin } from '../support/admin.ts';
import { type ConsoleTab, openConsole } from '../support/console-browser.ts';
import { useBrowser } from '../support/use-browser.ts';

const { service, admin } = useAdmin('embedded');
const browser = useBrowser();

/** What is done with the dialog that shows a new token. */
const secretOf = ({ page }: ConsoleTab) => ({
  read: () => page.getByRole('dialog').getByLabel('Token', { exact: true }).inputValue(),
  async confirm() {
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'I have kept it' }).waitFor({ state: 'detached' });
  },
});

async function createOperator({ page }: ConsoleTab, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New operator…' }).click();
  await page.getByRole('dialog').getByLabel(/^Name/).fill(name);
  await page.getByRole('button', { name: 'Create the operator' }).click();
}

test('no key closes the dialog of a new token, and the next token has a dialog as well', async () => {
  await using tab = await openConsole(browser, service.server.opsUrl);
  const { page } = tab;
  const secret = secretOf(tab);
  await tab.logIn(adminToken);
  await tab.show('#/operators');
  await createOperator(tab, 'Ann');
  const first = await secret.read();
  for (const key of ['Escape', 'Escape', 'Escape', 'Escape', 'Enter', 'Backspace', 'Escape']) {
    await page.keyboard.press(key);
  }
  expect(await secret.read()).toBe(first);
  await secret.confirm();
  await createOperator(tab, 'Bob');
  const second = await secret.read();
  expect(second).not.toBe(first);
  await page.keyboard.press('Escape');
  await secret.confirm();
  const kept = await page.evaluate(`document.documentElement.outerHTML + location.href +
    JSON.stringify({ ...sessionStorage, ...localStorage, state: history.state })`);
  expect(kept).not.toContain(first);
  expect(kept).not.toContain(second);
  expect(tab.complaints).toEqual([]);
});

test('a new token is still shown after its page was left', async () => {
  await using tab = await openConsole(browser, service.server.opsUrl);
  const { page } = tab;
  const secret = secretOf(tab);
  await tab.logIn(adminToken);
  await tab.show('#/keys');
  await tab.show('#/operators');
  await createOperator(tab, 'Carol');
  const token = await secret.read();
  await page.goBack();
  await page.getByRole('heading', { name: 'Keys', level: 1, includeHidden: true }).waitFor();
  expect(await secret.read()).toBe(token);
  await secret.confirm();
  expect(tab.complaints).toEqual([]);
});

test('operators who replace their own token see the new one, although their session ends', async () => {
  const json = JSON.stringify({ name: 'an owner', role: 'owner' });
  const { token } = (await admin.call('/operators', { json })).body as IssuedOperator;
  await using tab = await openConsole(browser, service.server.opsUrl);
  const { page } = tab;
  const secret = secretOf(tab);
  await tab.logIn(token);
  await tab.show('#/operators');
  await page.getByRole('button', { name: 'Rotate… an owner' }).click();
  await page.getByLabel('The present tokens stay valid').selectOption('0');
  await page.getByRole('button', { name: 'Create a new token' }).click();
  const renewed = await secret.read();
  await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(0);
  expect(await secret.read()).toBe(renewed);
  await secret.confirm();
  await tab.logIn(renewed);
  expect(tab.complaints).toEqual([]);
});

test('the name in a title does not turn the direction of what follows it', async () => {
  const name = '\u202Egnp.ecaf';
  const { key } = await admin.create(JSON.stringify({ name, plan: 'free' }));
  await using tab = await openConsole(browser, service.server.opsUrl);
  await tab.logIn(adminToken);
  await tab.show(`#/key/${key.id}`);
  for (const action of ['Rotate…', 'Revoke…']) {
    await tab.page.getByRole('button', { name: action }).click();
    await tab.page.getByRole('dialog').locator('h2 bdi', { hasText: name }).waitFor();
    await tab.page.keyboard.press('Escape');
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});
