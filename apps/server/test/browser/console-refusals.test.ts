import { type UsageOutcome, usageOperations, usageOutcomes } from '@animal-store/contract/admin';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { planCode, type UsageEntry } from '../../src/usage/usage-entry.ts';
import { adminToken, useAdmin } from '../support/admin.ts';
import { violationsOf } from '../support/axe.ts';
import { openConsole } from '../support/console-browser.ts';
import { useBrowser } from '../support/use-browser.ts';
import { writeUsage } from '../support/write-usage.ts';

// Bans would begin after a few denials.
const { service, admin } = useAdmin('postgres', { env: { BAN_MIN_STRIKES: '0' } });

const minuteMs = 60_000;

/** The first minute of an hour that has its minutes still, and is over. */
const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3 * 3_600_000;

const browser = useBrowser();

/** What a key has used in some minutes of that hour. */
async function writeHistory(
  keyId: string,
  requests: readonly (readonly [minute: number, UsageOutcome, count: number])[],
): Promise<void> {
  const entries = requests.map(
    ([minute, outcome, count]): UsageEntry => ({
      keyId,
      plan: planCode('free'),
      minute: hour / minuteMs + minute,
      operation: usageOperations.indexOf('listPets'),
      outcome: usageOutcomes.indexOf(outcome),
      requests: count,
    }),
  );
  await writeUsage(service.database, entries);
}

/** A key of an account whose keys may make two requests a day together, and have made three. */
async function keyOfFullAccount(account: string) {
  const quota = { perMinute: 100, perDay: 2 };
  const json = JSON.stringify({ plan: 'enterprise', quota });
  await admin.call(`/accounts/${account}`, { method: 'PUT', json });
  const issued = await admin.create(JSON.stringify({ name: 'shop', account, plan: 'free' }));
  for (let n = 0; n < 3; n++) await service.call('/pets', { token: issued.token });
  return issued;
}

const why = (page: Page) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Why was it refused?' }) });
const denials = (page: Page, bucket: string) =>
  page.getByRole('region', { name: `Denied by ${bucket}` }).locator('tbody tr:has(time)');

describe('why was it refused?', () => {
  test('a key tells when it was denied, by the minute', async () => {
    const { key } = await admin.create('{"name":"denied before","plan":"free"}');
    await writeHistory(key.id, [
      [10, 'ok', 60],
      [10, 'denied', 7],
      [11, 'ok', 60],
      [12, 'denied', 3],
      [12, 'banned', 30],
    ]);
    await using tab = await openConsole(browser, service.server.opsUrl, { timezoneId: 'UTC' });
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show(`#/key/${key.id}?range=day`);
    await why(page).getByText('Its requests are admitted now.').waitFor();
    await why(page).getByText('40', { exact: true }).waitFor();
    // One hour, which leads to its minutes.
    await expect.poll(() => denials(page, 'hour').count()).toBe(1);
    await denials(page, 'hour').getByRole('link').click();
    await expect.poll(() => denials(page, 'minute').count()).toBe(2);
    const cells = await denials(page, 'minute').locator('td').allTextContents();
    expect(cells.map((text) => text.trim())).toEqual(['3', '30', '7', '0']);
    const last = denials(page, 'minute').locator('time').first();
    expect(await last.getAttribute('datetime')).toBe(new Date(hour + 12 * minuteMs).toISOString());
    expect(await violationsOf(page)).toEqual([]);
    // A time without denials.
    await page.getByLabel('Last hour').check();
    await why(page).getByText('No request was denied in the time that is shown').waitFor();
    await page.getByText('No request was denied.', { exact: true }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  test('a key whose account has used up its day says so, and leads there', async () => {
    const { key } = await keyOfFullAccount('C-20');
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show(`#/key/${key.id}`);
    await why(page).getByText('The day of its account').waitFor();
    await page.getByText('Both windows are those of the account').waitFor();
    await why(page).getByRole('link', { name: 'C-20' }).click();
    await page.getByRole('heading', { name: 'C-20', level: 1 }).waitFor();
    // The same design, with what its keys did together.
    await why(page).getByText('The day is used up until').waitFor();
    await why(page).getByRole('link', { name: 'shop' }).waitFor();
    await expect.poll(() => denials(page, 'minute').count()).toBe(1);
    await page.getByRole('figure', { name: 'Requests by minute' }).waitFor();
    await admin.call('/accounts/C-20/suspend?reason=unpaid', { method: 'POST' });
    await why(page).getByText('Suspended since').waitFor();
    await tab.show(`#/key/${key.id}`);
    await why(page).getByText('is suspended since').waitFor();
    await why(page).getByText('Reason: unpaid').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  test('keys that have ended say so', async () => {
    const { key } = await admin.create('{"name":"ended","plan":"free"}');
    await admin.call(`/keys/${key.id}/revoke`, { method: 'POST' });
    await using tab = await openConsole(browser, service.server.opsUrl);
    await tab.logIn(adminToken);
    await tab.show(`#/key/${key.id}`);
    await why(tab.page).getByText('Revoked since').waitFor();
    await tab.page.getByText('Every request gets a 401').waitFor();
  });
});

describe('a letter to the customer', () => {
  test('states the facts, without the token and the reason of a suspension, and is copied', async () => {
    const { key, token } = await keyOfFullAccount('C-21');
    await admin.call(`/keys/${key.id}/suspend?reason=fraud`, { method: 'POST' });
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await tab.logIn(adminToken);
    await tab.show(`#/key/${key.id}`);
    await why(page).getByText('denied, all at').waitFor();
    await page.getByRole('button', { name: 'Write to the customer…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Write to the customer' });
    const text = await dialog.getByLabel('Text').inputValue();
    expect(text).toContain('requests to the Animal Store API with the API key “shop”');
    expect(text).toContain('The key has been suspended since');
    expect(text).toContain('The limit of 2 requests a day, which all keys of the account share,');
    expect(text).toContain('1 of 3 requests got status 429');
    for (const secret of [token.slice(0, 8), 'fraud']) expect(text).not.toContain(secret);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Text').fill(`${text}Yours, Ann`);
    await dialog.getByRole('button', { name: 'Copy the text' }).click();
    await dialog.getByRole('status').filter({ hasText: 'Copied.' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${text}Yours, Ann`);
    const mail = await dialog.getByRole('link', { name: 'Open as e-mail' }).getAttribute('href');
    expect(new URL(mail ?? '').searchParams.get('body')).toBe(
      `${text}Yours, Ann`.replaceAll('\n', '\r\n'),
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(tab.complaints).toEqual([]);
  });

  test('is there for viewers, and not if there is nothing to say', async () => {
    const { key } = await keyOfFullAccount('C-22');
    const { key: idle } = await admin.create('{"name":"never used","plan":"free"}');
    const json = JSON.stringify({ name: 'support', role: 'viewer' });
    const { token } = (await admin.call('/operators', { json })).body as { token: string };
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await tab.logIn(token);
    await tab.show(`#/key/${key.id}`);
    await page.getByRole('button', { name: 'Write to the customer…' }).waitFor();
    await tab.show(`#/key/${idle.id}`);
    await page.getByRole('heading', { name: 'never used' }).waitFor();
    await why(page).getByText('No request was denied').waitFor();
    expect(await page.getByRole('button', { name: 'Write to the customer…' }).count()).toBe(0);
  });
});
