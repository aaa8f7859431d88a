import type { KeyDetails } from '@animal-store/contract/admin';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsOf } from '../support/axe.ts';
import { useConsole } from '../support/use-console.ts';
import { writeCounts } from '../support/write-usage.ts';

const { service, admin, open, createOperator, bannedKey } = useConsole();

const why = (page: Page) => page.getByRole('region', { name: 'Whether requests are admitted' });
const statusOf = async (token: string) => (await service.call('/pets', { token })).status;

/** A key of an account whose keys may make two requests a day together, and have made three. */
async function keyOfFullAccount(account: string) {
  const json = '{"plan":"enterprise","quota":{"perMinute":100,"perDay":2}}';
  await admin.call(`/accounts/${account}`, { method: 'PUT', json });
  const issued = await admin.create(JSON.stringify({ name: 'shop', account, plan: 'free' }));
  for (let n = 0; n < 3; n++) await statusOf(issued.token);
  return issued;
}

test('a banned key is found, understood and unbanned, and says who did it and why', async () => {
  const { id, token } = await bannedKey({ name: 'why do we get 429' });
  await admin.create('{"name":"why not","plan":"free"}');
  await using tab = await open();
  const { page } = tab;
  await tab.show('#/keys');
  await page.getByLabel('Name, account, token or id').fill('why');
  const rows = page.getByRole('region', { name: 'Keys' }).locator('tbody tr');
  await rows.filter({ hasText: 'why not' }).filter({ hasText: 'active' }).waitFor();
  await page.getByLabel('State').selectOption('banned');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.filter({ hasText: '▲ banned' }).getByRole('link').first().click();
  const banned = page.locator('.state', { hasText: 'Banned until' });
  await banned.waitFor();
  // The numbers are those of the admin API.
  const { day } = ((await admin.call(`/keys/${id}`)).body as KeyDetails).usage.windows;
  await page.getByText(`${day.limit - day.remaining} of ${day.limit}`).waitFor();

  await tab.press('Unban…');
  await page.keyboard.type('they fixed their client');
  await tab.press('Unban');
  await tab.notice('The key is unbanned.');
  await banned.waitFor({ state: 'detached' });
  const after = await service.call('/pets', { token });
  expect(after.body).toMatchObject({ code: 'rate_limit_exceeded' });
  await page.getByRole('cell', { name: 'they fixed their client' }).waitFor();
});

test('"C-5 says: I get 429" takes a click from the overview to the answer, two more to mend it, and it is', async () => {
  // Of others, whom nobody denies.
  const other = await admin.create('{"name":"C-9 shop","account":"C-50","plan":"business"}');
  await statusOf(other.token);
  const banned = await bannedKey({ name: 'C-5 import', account: 'C-5', plan: 'enterprise' });
  await admin.create('{"name":"C-5 idle","account":"C-5","plan":"free"}');
  await using tab = await open();
  const { page } = tab;
  let clicks = 0;
  await page.exposeFunction('countClick', () => clicks++);
  await page.evaluate(
    `addEventListener('click', ({ isTrusted }) => isTrusted && countClick(), true)`,
  );
  const trouble = page.locator('.state.warned', { hasText: 'were denied' });
  await trouble.getByRole('link', { name: 'C-5', exact: true }).click();
  await why(page).getByText('1 of its 2 keys is banned').waitFor();
  const answered = clicks;
  await tab.press('Give back quota…');
  await page.getByLabel('Also unban 1 key').waitFor();
  await page.getByLabel('Reason').fill('our fault');
  await tab.press('Give it back');
  await tab.notice('What was used is given back.');
  expect([answered, clicks - answered]).toEqual([1, 2]);
  await why(page).getByText('Requests of its keys are admitted now.').waitFor();
  // Its only one of this minute: the page may say soon that its limit is used up.
  expect(await statusOf(banned.token)).toBe(200);
  await tab.show('#/audit?account=C-5');
  await page.getByRole('cell', { name: 'our fault' }).first().waitFor();
});

test('an account whose keys are banned says so, gets a larger plan, and its keys are admitted', async () => {
  const account = 'C-6';
  const { token } = await bannedKey({ name: 'C-6 shop', account });
  await admin.create(JSON.stringify({ name: 'C-6 idle', account, plan: 'free' }));
  await using tab = await open();
  const { page } = tab;
  await page.getByRole('link', { name: 'C-6 shop' }).first().click();
  await page.getByRole('link', { name: account, exact: true }).first().click();
  await page.locator('.heading').getByText('1 key banned').waitFor();
  await why(page).getByText('1 of its 2 keys is banned').waitFor();
  expect(await why(page).getByText('admitted now').count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await tab.press('Change plan or limits…');
  await page.getByLabel(/^Plan/).selectOption('business');
  expect(await page.getByLabel('Also unban').isChecked()).toBe(true);
  await tab.press('Change plan or limits');
  await tab.notice('The plan is changed.');
  expect(await statusOf(token)).toBe(200);
  await why(page).getByText('Requests of its keys are admitted now.').waitFor();
});

test('an account gets a plan, tells why it is refused and by which key, and is suspended', async () => {
  const account = 'C/17 & Söhne';
  const { token } = await admin.create(JSON.stringify({ name: 'busy', account, plan: 'free' }));
  await admin.create(JSON.stringify({ name: 'idle', account, plan: 'free' }));
  await using tab = await open();
  const { page } = tab;
  await tab.show('#/accounts');
  await page.getByRole('link', { name: account }).click();
  await page.getByRole('region', { name: 'Keys' }).getByRole('link', { name: 'idle' }).waitFor();
  await tab.press('Change plan or limits…');
  await page.getByLabel(/^Plan/).selectOption('enterprise');
  await page.getByLabel('Requests a minute').fill('100');
  await page.getByLabel('Requests a day').fill('2');
  await tab.press('Change plan or limits');
  await tab.notice('The plan is changed.');
  await expect.poll(() => statusOf(token)).toBe(429);
  await why(page).getByText('The day is used up until').waitFor();
  await why(page).getByRole('link', { name: 'busy' }).click();
  // Its key leads back.
  await why(page).getByText('The day of its account').waitFor();
  await page.getByText('Both windows are those of the account').waitFor();
  await why(page).getByRole('link', { name: account }).click();

  await tab.press('Suspend…');
  await page.keyboard.type('unpaid');
  await tab.press('Suspend');
  await tab.notice('The account is suspended.');
  await expect.poll(() => statusOf(token)).toBe(403);
  await why(page).getByText('Reason: unpaid').waitFor();
  // Its keys say so, and cannot be resumed by themselves.
  await tab.show('#/keys?state=suspended');
  const busy = page.getByRole('row').filter({ hasText: 'busy' });
  // The plan in force is that of the account; its own rests.
  await busy.getByText('enterprise (account)').waitFor({ state: 'attached' });
  await busy.getByText('account suspended').waitFor();
  await busy.getByRole('link', { name: 'busy' }).click();
  await why(page).getByText(`Its account ${account} is suspended`).waitFor();
  await page.getByRole('button', { name: 'Suspend…' }).waitFor();
  expect(await page.getByRole('button', { name: 'Resume…' }).count()).toBe(0);

  await tab.show('#/accounts?suspended=true');
  await page.getByRole('link', { name: account }).click();
  await tab.press('Resume…');
  await tab.press('Resume');
  await tab.notice('The account is resumed.');
  await tab.press('Take the plan away…');
  await tab.press('Take the plan away');
  await tab.notice('The account has no plan.');
  await expect.poll(() => statusOf(token)).toBe(200);
  // The audit log leads to it.
  await tab.show('#/audit?action=account.changed');
  await page.getByRole('link', { name: account }).first().click();
  await page.getByRole('heading', { name: account, level: 1 }).waitFor();
});

test('a key tells when it was denied, hour by hour and then by the minute', async () => {
  const { key } = await admin.create('{"name":"denied before","plan":"free"}');
  // An hour that is over, and has its minutes still.
  const hour = Math.floor(Date.now() / 3_600_000 - 3) * 3_600_000;
  const at = (minute: number) => hour + minute * 60_000;
  await writeCounts(service.database, key.id, [
    [at(10), 'ok', 60],
    [at(10), 'denied', 7],
    [at(12), 'denied', 3],
    [at(12), 'banned', 30],
    [at(14), 'refused', 7],
  ]);
  await using tab = await open({ timezoneId: 'UTC' });
  const { page } = tab;
  await tab.show(`#/key/${key.id}?range=day`);
  await why(page).getByText('40', { exact: true }).waitFor();
  await why(page).getByText('7 were refused with 401 or 403.').waitFor();
  const denials = (bucket: string) =>
    page.getByRole('region', { name: `Denied by ${bucket}` }).locator('tbody tr:has(time)');
  await expect.poll(() => denials('hour').count()).toBe(1);
  await denials('hour').getByRole('link').click();
  await expect.poll(() => denials('minute').count()).toBe(2);
  const cells = await denials('minute').locator('td').allTextContents();
  expect(cells.map((text) => text.trim())).toEqual(['3', '30', '7', '0']);
  const last = denials('minute').locator('time').first();
  expect(await last.getAttribute('datetime')).toBe(new Date(at(12)).toISOString());
  await page.getByRole('group', { name: 'Time' }).getByRole('button').first().click();
  await tab.press('Last hour');
  await why(page).getByText('No request was denied in the time that is shown').waitFor();
  await admin.call(`/keys/${key.id}/revoke`, { method: 'POST' });
  await why(page).getByText('Revoked since').waitFor();
});

test('a viewer writes the customer a letter of facts, and is offered nothing that would be refused', async () => {
  const { key, token } = await keyOfFullAccount('C-21');
  await admin.call(`/keys/${key.id}/suspend?reason=fraud`, { method: 'POST' });
  const viewer = await createOperator('viewer');
  await using tab = await open({ token: viewer.token });
  const { page } = tab;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await tab.show(`#/key/${key.id}`);
  await why(page).getByText('denied or banned, all at').waitFor();
  await tab.press('Write to the customer…');
  const dialog = page.getByRole('dialog', { name: 'Write to the customer' });
  const text = await dialog.getByLabel('Text').inputValue();
  // It opens at its top.
  expect(await page.evaluate(`document.querySelector('dialog textarea').scrollTop`)).toBe(0);
  for (const fact of [
    'the API key “shop”',
    'suspended since',
    '2 requests a day',
    '1 of 3 requests',
  ])
    expect(text).toContain(fact);
  for (const secret of [token.slice(0, 8), 'fraud']) expect(text).not.toContain(secret);
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByLabel('Text').fill(`${text}Yours, Ann`);
  await tab.press('Copy the text');
  await dialog.getByRole('status').filter({ hasText: 'Copied.' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${text}Yours, Ann`);
  const mail = await dialog.getByRole('link', { name: 'Open as e-mail' }).getAttribute('href');
  expect(new URL(mail ?? '').searchParams.get('body')).toBe(
    `${text}Yours, Ann`.replaceAll('\n', '\r\n'),
  );
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  expect(await page.getByRole('group', { name: 'Actions' }).count()).toBe(0);
  for (const link of ['#/keys', '#/operators', '#/audit']) {
    await tab.show(link);
    const names = await page.getByRole('button').or(page.getByRole('link')).allTextContents();
    expect(names.filter((name) => name.includes('…') || name.startsWith('New'))).toEqual([]);
    expect(await page.getByRole('checkbox').count()).toBe(0);
  }
  await tab.show('#/new-key');
  await page.getByText('Your role, viewer, does not allow this.').waitFor();
  // Who was never refused has nothing to be told.
  await tab.show(`#/key/${(await admin.create('{"name":"never used","plan":"free"}')).key.id}`);
  await why(page).getByText('No request was denied').waitFor();
  expect(await page.getByRole('button', { name: 'Write to the customer…' }).count()).toBe(0);
});
