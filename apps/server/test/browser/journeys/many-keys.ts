import type { AuditEntry } from '@animal-store/admin-contract';
import { expect } from 'vitest';
import { adminToken } from '../../support/admin.ts';
import { violationsOf } from '../../support/axe.ts';
import { focusOf, tabTo } from '../../support/browser.ts';
import type { Store } from '../../support/use-console.ts';

/**
 * Logs in, changes a plan, and moves and revokes five API keys, all with the keyboard only. The
 * focus must always be visible.
 */
export async function useKeyboard({ admin, open, createKeys }: Store): Promise<void> {
  const keys = await createKeys('five', 6);
  await admin.call(`/keys/${keys[0]?.key.id}/revoke`, { method: 'POST' });
  await using tab = await open({ token: null, expected: /503/ });
  const { page } = tab;
  const { keyboard } = page;
  const dialog = page.getByRole('dialog');
  const rows = tab.rows('Keys');
  // The field for the token has the focus when the page opens.
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
  await expect.poll(() => rows.count()).toBe(6);
  await tabTo(page, 'five 5');
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Change plan' }).waitFor();
  await tabTo(page, 'Change plan');
  await keyboard.press('Enter');
  await dialog.waitFor();
  await keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // After the dialog has closed, the button that opened it has the focus again.
  expect(await focusOf(page)).toMatchObject({ tag: 'BUTTON', name: /^Change plan/ });
  await keyboard.press('Enter');
  await dialog.getByLabel(/^Plan/).press('b');
  await tabTo(page, 'Change');
  await keyboard.press('Enter');
  await tab.notice('Plan changed.');
  await page.getByText('1,000 a minute, 100,000 a day').waitFor();

  await page.goBack();
  await rows.nth(5).waitFor();
  const entriesOf = async (action: string) =>
    (await admin.call(`/audit?account=six&action=${action}`)).body as AuditEntry[];
  /** Selects all rows and moves the focus to the actions. */
  const selectAll = async () => {
    await tabTo(page, 'Select all rows');
    await keyboard.press('Space');
    await tab.notice('keys selected');
    await keyboard.press('b');
  };
  await selectAll();
  expect((await focusOf(page)).name).toBe('Move to an account…');
  await keyboard.press('Enter');
  await dialog.getByText('1 key skipped').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByLabel('Account').fill('six');
  await keyboard.press('Enter');
  await tab.notice('5 keys moved.');
  expect(await entriesOf('key.changed')).toHaveLength(5);

  await tab.show('#/keys?account=six');
  await expect.poll(() => rows.count()).toBe(5);
  let requests = 0;
  await page.route('**/revoke*', (route) => {
    requests += 1;
    return requests === 1 ? route.fulfill({ status: 503, json: {} }) : route.continue();
  });
  await selectAll();
  await tabTo(page, 'Revoke…', 9);
  await keyboard.press('Enter');
  // The field for the reason has the focus when the dialog opens.
  await keyboard.type('the contract ended');
  await keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: '4 keys revoked, 1 not' }).waitFor();
  await tab.press('Revoke 1 key');
  await expect.poll(() => rows.filter({ hasText: 'revoked' }).count()).toBe(5);
  const reasons = (await entriesOf('key.revoked')).map(({ reason }) => reason);
  expect(reasons).toEqual(Array(5).fill('the contract ended'));
}
