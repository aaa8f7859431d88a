import { expect } from 'vitest';
import { adminToken } from '../../support/admin.ts';
import { call } from '../../support/test-service.ts';
import type { Store } from '../../support/use-console.ts';

/**
 * Creates operators as an owner. The console shows a new token until the owner confirms that the
 * token is saved. The journey then finds operators by their tokens and revokes these operators.
 */
export async function manageOperators({ service, open }: Store): Promise<void> {
  await using tab = await open();
  const { page } = tab;
  const isAdmitted = async (token: string) =>
    (await call(`${service.server.opsUrl}/admin/v1/keys`, { token })).status === 200;
  await tab.show('#/keys');
  await tab.show('#/operators');
  await tab.press('New operator…');
  await page.getByRole('dialog').getByLabel(/^Name/).fill('Bob');
  await page.getByRole('dialog').getByLabel('Role').selectOption('owner');
  await tab.press('Create operator');
  const shown = () => page.getByLabel('Token', { exact: true }).inputValue();
  const token = await shown();
  for (const key of ['Escape', 'Escape', 'Enter', 'Backspace', 'Escape'])
    await page.keyboard.press(key);
  await page.goBack();
  await page.getByRole('heading', { name: 'Keys', level: 1, includeHidden: true }).waitFor();
  expect(await shown()).toBe(token);
  await tab.takeToken();
  const kept = await page.evaluate(`document.documentElement.outerHTML + location.href +
    JSON.stringify({ ...sessionStorage, ...localStorage, state: history.state })`);
  expect(kept).not.toContain(token);

  // The search finds the operator of a leaked token. The console sends only the prefix of the
  // token, because the prefix is enough.
  await page.getByRole('combobox', { name: 'Search' }).fill(token);
  await page.getByText('This is the token of an operator.').waitFor();
  await page.getByRole('option', { name: 'Bob' }).click();
  await expect.poll(tab.query).toEqual({ search: token.slice(0, 8) });
  await expect.poll(() => tab.rows('Operators').count()).toBe(1);
  expect([...tab.requests, page.url()].join()).not.toContain(token.slice(0, 9));

  // Operators who rotate their own token can read the new token, although the rotation ends their
  // session.
  await using bob = await open({ token });
  await bob.show('#/operators');
  await bob.page.getByRole('button', { name: 'Rotate… Bob' }).click();
  await bob.page.getByLabel('Current tokens expire').selectOption('0');
  await bob.press('Create new token');
  await expect.poll(() => bob.page.evaluate('sessionStorage.length')).toBe(0);
  const renewed = await bob.takeToken();
  expect([await isAdmitted(token), await isAdmitted(renewed)]).toEqual([false, true]);
  await bob.logIn(renewed);
  await bob.show('#/keys?plan=free');

  // After a revocation, the operator must log in with another token. The console then shows the
  // same page again.
  await page.getByRole('button', { name: 'Revoke… Bob' }).click();
  await page.getByText(/This may be the last owner\. .+ the commands on the machine/).waitFor();
  await tab.press('Revoke the operator');
  await tab.notice('Operator revoked.');
  expect(await isAdmitted(renewed)).toBe(false);
  await bob.notice('Your session has ended');
  await bob.logIn(adminToken);
  await bob.heading('Keys');
  expect(await bob.page.getByLabel('Plan').inputValue()).toBe('free');
}
