import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Store } from '../../support/use-console.ts';
import { writeCounts } from '../../support/write-usage.ts';

const why = (page: Page) => page.getByRole('region', { name: 'Request status' });

/**
 * Finds out with one click on the overview why the customer C-5 gets 429, and fixes the cause with
 * two more clicks. The journey also finds and unbans a banned API key. The page of the key explains
 * the ban, and shows when requests were denied.
 */
export async function explainDenials(store: Store): Promise<void> {
  const { service, admin, open, bannedKey, statusOf } = store;
  // The console must find the account C-5. Another account also sends requests, but these requests
  // are not denied.
  const other = await admin.create('{"name":"C-9 shop","account":"C-50","plan":"business"}');
  await statusOf(other.token);
  const banned = await bannedKey({ name: 'C-5 import', account: 'C-5', plan: 'enterprise' });
  // The overview shows a warning if at least a quarter of all requests in a minute are denied. With
  // 60 denials, the share is high enough, even if other journeys have sent requests in the same
  // minute.
  for (let n = 0; n < 60; n++) await statusOf(banned.token);
  await admin.create('{"name":"C-5 idle","account":"C-5","plan":"free"}');
  await using tab = await open({ timezoneId: 'UTC' });
  const { page } = tab;
  let clicks = 0;
  await page.exposeFunction('countClick', () => clicks++);
  await page.evaluate(
    `addEventListener('click', ({ isTrusted }) => isTrusted && countClick(), true)`,
  );
  const trouble = page.locator('.state.warned', { hasText: 'were denied' });
  await tab.news(trouble.getByRole('link', { name: 'C-5', exact: true }));
  await trouble.getByRole('link', { name: 'C-5', exact: true }).click();
  await why(page).getByText('1 of its 2 keys is banned').waitFor();
  const answered = clicks;
  await tab.press('Reset usage…');
  await page.getByLabel('Also unban 1 key').waitFor();
  await page.getByLabel('Reason').fill('our fault');
  await tab.press('Reset usage');
  await tab.notice('Usage reset.');
  expect([answered, clicks - answered]).toEqual([1, 2]);
  // The next request of the API key is admitted. The test sends only one request, because the limit
  // of the key is one request per minute.
  expect(await statusOf(banned.token)).toBe(200);
  await tab.show('#/audit?account=C-5');
  await page.getByRole('cell', { name: 'our fault' }).first().waitFor();

  const { id, token } = await bannedKey({ name: 'why do we get 429' });
  // The counts are in an hour that began three hours ago. For such a recent hour, the usage tables
  // still contain the counts by minute, so the console can plot each minute.
  const hour = Math.floor(Date.now() / 3_600_000 - 3) * 3_600_000;
  const at = (minute: number) => hour + minute * 60_000;
  await writeCounts(service.database, id, [
    [at(10), 'ok', 60],
    [at(10), 'denied', 7],
    [at(12), 'denied', 3],
    [at(12), 'banned', 30],
  ]);
  const rows = tab.rows('Keys');
  await tab.show('#/keys');
  await page.getByLabel('Name, account, token or ID').fill('why do');
  await page.getByLabel('State').selectOption('banned');
  // Until the response to the search arrives, the list also contains banned API keys of other
  // journeys.
  await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('why do we')]);
  await rows.filter({ hasText: '▲ banned' }).getByRole('link').first().click();
  const ban = page.locator('.state', { hasText: 'Banned until' });
  await ban.waitFor();
  await page
    .getByText(/[12] of 100/)
    .first()
    .waitFor();
  await tab.press('Unban…');
  await page.keyboard.type('they fixed their client');
  await tab.press('Unban');
  await tab.notice('Key unbanned.');
  await ban.waitFor({ state: 'detached' });
  const after = await service.call('/pets', { token });
  expect(after.body).toMatchObject({ code: 'rate_limit_exceeded' });
  await page.getByRole('cell', { name: 'they fixed their client' }).waitFor();

  await tab.show(`#/key/${id}?range=day`);
  const denials = (bucket: string) =>
    page
      .getByRole('region', { name: `Denied requests by ${bucket}` })
      .locator('tbody tr:has(time)');
  await denials('hour').last().getByRole('link').click();
  await expect.poll(() => denials('minute').count()).toBe(2);
  const cells = await denials('minute').locator('td').allTextContents();
  expect(cells.map((text) => text.trim())).toEqual(['3', '30', '7', '0']);
  const last = denials('minute').locator('time').first();
  expect(await last.getAttribute('datetime')).toBe(new Date(at(12)).toISOString());
}

/**
 * Gives an account a plan, and finds out why the account gets 429 and which of its API keys is the
 * cause. The journey then suspends the account and writes a letter to the customer.
 */
export async function changeAccount(store: Store): Promise<void> {
  const { admin, open, bannedKey, statusOf } = store;
  const account = 'C/17 & Söhne';
  const { id, token } = await bannedKey({ name: 'busy', account });
  await admin.create(JSON.stringify({ name: 'idle', account, plan: 'free' }));
  await using tab = await open();
  const { page } = tab;
  await tab.show('#/accounts');
  await page.getByRole('link', { name: account }).click();
  await why(page).getByText('1 of its 2 keys is banned').waitFor();
  // By default, a change of the plan also ends the bans of the account's API keys.
  await tab.press('Change plan or limits…');
  await tab.field('Plan').selectOption('enterprise');
  await page.getByLabel('Requests a minute').fill('100');
  await page.getByLabel('Requests a day').fill('2');
  await tab.press('Change plan or limits');
  await tab.notice('Plan changed.');
  expect(await statusOf(token)).toBe(200);
  await expect.poll(() => statusOf(token)).toBe(429);
  await tab.news(why(page).getByText('The daily limit is used up until'));
  await why(page).getByRole('link', { name: 'busy' }).click();
  // The page of the API key has a link back to the account.
  await why(page).getByText('The daily limit of its account').waitFor();
  await page.getByText('share these limits.').waitFor();
  await why(page).getByRole('link', { name: account }).click();
  await tab.heading(account);

  await tab.press('Suspend…');
  await page.keyboard.type('unpaid');
  await tab.press('Suspend');
  await tab.notice('Account suspended.');
  await expect.poll(() => statusOf(token)).toBe(403);
  await why(page).getByText('Reason: unpaid').waitFor();
  // The page of an API key shows that its account is suspended. Operators cannot resume the key
  // alone.
  await tab.show('#/keys?state=suspended');
  const busy = page.getByRole('row').filter({ hasText: 'busy' });
  // The account's plan applies, so the plan of the API key has no effect.
  await busy.getByText('enterprise (account)').waitFor({ state: 'attached' });
  await busy.getByText('account suspended').waitFor();
  await busy.getByRole('link', { name: 'busy' }).click();
  await why(page).getByText(`Its account ${account} is suspended`).waitFor();
  expect(await page.getByRole('button', { name: 'Resume…' }).count()).toBe(0);
  await writeLetter(store, id);

  await tab.show('#/accounts');
  await page.getByLabel('State').selectOption('suspended');
  await page.getByRole('columnheader', { name: 'Denied' }).getByRole('button').click();
  await expect.poll(tab.query).toEqual({ suspended: 'true', sort: '-denials' });
  await page.getByRole('link', { name: account }).click();
  await tab.press('Resume…');
  await tab.press('Resume');
  await tab.notice('Account resumed.');
  await tab.press('Remove plan…');
  await tab.press('Remove plan');
  await tab.notice('Plan removed.');
}

/**
 * Writes a letter to a customer as a viewer. The console hides actions that would be refused for a
 * viewer.
 */
async function writeLetter({ open, createOperator }: Store, keyId: string): Promise<void> {
  const viewer = await createOperator('viewer');
  await using tab = await open({ token: viewer.token });
  const { page } = tab;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await tab.show(`#/key/${keyId}`);
  // All denials may be in the same minute, or in two consecutive minutes.
  await why(page)
    .getByText(/denied with 429, (all at|from)/)
    .waitFor();
  await tab.press('Write to the customer…');
  const dialog = page.getByRole('dialog', { name: 'Write to the customer' });
  const text = await dialog.getByLabel('Text').inputValue();
  // The text field must show the beginning of the letter.
  expect(await page.evaluate(`document.querySelector('dialog textarea').scrollTop`)).toBe(0);
  expect(text).toMatch(/\d of \d+ requests/);
  await dialog.getByLabel('Text').fill(`${text}Yours, Ann`);
  await tab.press('Copy the text');
  await dialog.getByRole('status').filter({ hasText: 'Copied.' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${text}Yours, Ann`);
  const mail = await dialog.getByRole('link', { name: 'Open as e-mail' }).getAttribute('href');
  expect(new URL(mail ?? '').searchParams.get('body')).toBe(
    `${text}Yours, Ann`.replaceAll('\n', '\r\n'),
  );
  await page.keyboard.press('Escape');

  expect(await page.getByRole('group', { name: 'Actions' }).count()).toBe(0);
  for (const link of ['#/keys', '#/operators', '#/audit']) {
    await tab.show(link);
    const names = await page.getByRole('button').or(page.getByRole('link')).allTextContents();
    expect(names.filter((name) => name.includes('…') || name.startsWith('New'))).toEqual([]);
    expect(await page.getByRole('checkbox').count()).toBe(0);
  }
  await tab.show('#/new-key');
  await page.getByText('Your role, viewer, does not allow you to see this page.').waitFor();
}
