import type { AuditEntry } from '@animal-store/contract/admin';
import { expect } from 'vitest';
import { adminToken } from '../../support/admin.ts';
import { violationsOf } from '../../support/axe.ts';
import { focusOf, tabTo } from '../../support/browser.ts';
import type { Store } from '../../support/use-console.ts';
import { createKeys } from './find-keys.ts';

const entriesOf = async ({ admin }: Store, account: string, action: string) =>
  (await admin.call(`/audit?account=${account}&action=${action}`)).body as AuditEntry[];

/** Several keys are moved and revoked, and what fails is tried again. */
export async function changeManyKeys(store: Store): Promise<void> {
  const [, , last] = await createKeys(store, 'from', 3);
  await store.admin.call(`/keys/${last?.key.id}/revoke`, { method: 'POST' });
  await using tab = await store.open({ expected: /503/ });
  const { page } = tab;
  const dialog = page.getByRole('dialog');
  const rows = tab.rows('Keys');
  await tab.show('#/keys?account=from');
  for (const n of [1, 2, 3]) await page.getByLabel(`Select from ${n}`).check();
  await tab.press('Move to an account…');
  await dialog.getByText('1 key left out').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByLabel('Account').fill('to');
  await tab.press('Move 2 keys');
  await tab.notice('2 keys moved.');
  expect(await entriesOf(store, 'to', 'key.changed')).toHaveLength(2);

  await tab.show('#/keys?account=to');
  await expect.poll(() => rows.count()).toBe(2);
  let requests = 0;
  await page.route('**/revoke*', (route) => {
    requests += 1;
    return requests === 1 ? route.fulfill({ status: 503, json: {} }) : route.continue();
  });
  await page.getByLabel('Select all rows').check();
  await tab.press('Revoke…');
  await tab.press('Revoke 2 keys');
  await page.getByRole('alert').filter({ hasText: '1 key revoked, 1 not' }).waitFor();
  await tab.press('Revoke 1 key');
  await dialog.waitFor({ state: 'detached' });
  expect(await entriesOf(store, 'to', 'key.revoked')).toHaveLength(2);
}

/** The keyboard alone is enough, and always shows where it is: to log in, change a plan, and revoke five keys. */
export async function useKeyboard(store: Store): Promise<void> {
  await createKeys(store, 'five', 5);
  await using tab = await store.open({ token: null });
  const { page } = tab;
  const { keyboard } = page;
  const dialog = page.getByRole('dialog');
  const rows = tab.rows('Keys');
  // The field has the focus.
  await page.locator('input[name=token]:focus').waitFor();
  await keyboard.type(adminToken);
  await keyboard.press('Enter');
  await tab.heading('Overview');
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await keyboard.press('Escape');
  await tabTo(page, 'Keys');
  await keyboard.press('Enter');
  await tab.heading('Keys');
  await tabTo(page, 'Account');
  await keyboard.type('five');
  await expect.poll(() => rows.count()).toBe(5);
  await tabTo(page, 'five 5');
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Change plan' }).waitFor();
  await tabTo(page, 'Change plan');
  await keyboard.press('Enter');
  await dialog.waitFor();
  await keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // Back where it was.
  expect(await focusOf(page)).toMatchObject({ tag: 'BUTTON', name: /^Change plan/ });
  await keyboard.press('Enter');
  await dialog.getByLabel(/^Plan/).press('b');
  await tabTo(page, 'Change');
  await keyboard.press('Enter');
  await tab.notice('The plan is changed.');
  await page.getByText('1,000 a minute, 100,000 a day').waitFor();

  await page.goBack();
  await rows.nth(4).waitFor();
  await tabTo(page, 'Select all rows');
  await keyboard.press('Space');
  await tab.notice('5 keys selected');
  await keyboard.press('b');
  await tabTo(page, 'Revoke…', 9);
  await keyboard.press('Enter');
  // The reason has the focus.
  await keyboard.type('the contract ended');
  await keyboard.press('Enter');
  await tab.notice('5 keys revoked.');
  await expect.poll(() => rows.filter({ hasText: 'revoked' }).count()).toBe(5);
  const entries = await entriesOf(store, 'five', 'key.revoked');
  expect(entries.map(({ reason }) => reason)).toEqual(Array(5).fill('the contract ended'));
}
