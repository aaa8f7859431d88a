import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { ConsoleTab } from '../../support/console-browser.ts';
import type { Store } from '../../support/use-console.ts';
import { writeCounts } from '../../support/write-usage.ts';

/**
 * Sorts and filters a list of sixty API keys, opens its pages, reloads its address, and downloads
 * it as CSV. Then the journey uses the search.
 */
export async function findKeys(store: Store): Promise<void> {
  const { service, admin, open, createKeys, createOperator } = store;
  const keys = await createKeys('listed', 60);
  const idOf = (n: number) => keys[n - 1]?.key.id ?? expect.unreachable();
  await writeCounts(service.database, idOf(20), [[Date.now(), 'ok', 30]]);
  await writeCounts(service.database, idOf(30), [[Date.now(), 'denied', 20]]);
  await admin.call(`/keys/${idOf(40)}/suspend`, { method: 'POST' });
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const json = JSON.stringify({ expiresAt: soon, plan: 'pro' });
  await admin.call(`/keys/${idOf(50)}`, { method: 'PATCH', json });
  // The browser window is wide enough to show all columns of the table.
  await using tab = await open({ viewport: { width: 1920, height: 900 }, expected: /503/ });
  const { page } = tab;
  const rows = tab.rows('Keys');
  const first = (name: string) => rows.first().getByRole('link', { name, exact: true }).waitFor();
  await tab.show('#/keys?account=listed&sort=name');
  await page.getByText('60 in total').waitFor();
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.getByRole('link', { name: 'First page' }).click();
  await first('listed 1');
  const head = (name: string) => page.getByRole('columnheader', { name });
  expect(await head('Name').getAttribute('aria-sort')).toBe('ascending');
  for (const [column, name, order] of [
    ['State', '', 'ascending'],
    ['State', 'listed 40', 'descending'],
    ['Requests today (UTC)', 'listed 20', 'descending'],
    ['Denied', 'listed 30', 'descending'],
    ['Name', 'listed 1', 'ascending'],
    ['Name', 'listed 9', 'descending'],
  ] as const) {
    await head(column).getByRole('button').click();
    await expect.poll(() => head(column).getAttribute('aria-sort')).toBe(order);
    if (name !== '') await first(name);
  }
  // A click on any place of the row opens its link, even with the middle mouse button.
  const opened = page.context().waitForEvent('page');
  await rows.first().getByText('active').click({ button: 'middle' });
  const other = await opened;
  await other.getByRole('heading', { name: 'listed 9', level: 1 }).waitFor();
  await other.close();
  await page.reload();
  await first('listed 9');
  const download = await tab.save('CSV of all keys that match');
  expect(download.suggestedFilename()).toBe('keys.csv');
  // The CSV file has a header and 60 API keys. `split` also returns an empty text after the last
  // line break.
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
  expect(lines).toHaveLength(62);

  for (const [label, value, name] of [
    ['State', 'suspended', 'listed 40'],
    ['Expiry', '7', 'listed 50'],
    ['Plan', 'pro', 'listed 50'],
  ] as const) {
    await page.getByLabel(label).selectOption(value);
    await expect.poll(() => rows.count()).toBe(1);
    await first(name);
    await page.getByLabel(label).selectOption('');
    await rows.nth(49).waitFor();
  }
  // The console applies the filter when the user pauses after a word. The text field must keep the
  // space after the word, so that the user can type the next word.
  await page.getByLabel('Name, account, token or ID').fill('nobody ');
  await expect.poll(() => tab.query()['search']).toBe('nobody');
  await page.keyboard.type('has this');
  await expect.poll(() => tab.query()['search']).toBe('nobody has this');
  await page.getByText('No keys match these filters.').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await rows.nth(49).waitFor();

  // The audit log can be searched by the name of the operator who made a change.
  const { operator, token } = await createOperator('operator');
  await admin.call('/keys', { json: '{"name":"by an operator","plan":"free"}', token });
  await tab.show('#/audit');
  const entries = tab.rows('Audit log');
  await page.getByLabel('Action').selectOption('Key created');
  await page.getByLabel(/^By/).selectOption(operator.id);
  await entries.filter({ hasText: 'by an operator' }).waitFor();
  await expect.poll(() => entries.count()).toBe(1);
  await search(store, tab);
}

/**
 * Searches for API keys and accounts by parts of their names, ids and tokens. The address must not
 * contain the search text, which may be a token.
 */
async function search({ admin }: Store, tab: ConsoleTab): Promise<void> {
  const json = '{"name":"Nordic Paws, web shop","account":"Q-4711","plan":"free"}';
  const { token } = await admin.create(json);
  await admin.call('/accounts/Harbour%20Vets', { method: 'PUT', json: '{"plan":"business"}' });
  const { page } = tab;
  const { keyboard } = page;
  const box = page.getByRole('combobox', { name: 'Search keys and accounts' });
  const option = page.getByRole('option', { name: 'Nordic Paws' });
  await tab.show('#/audit');
  await keyboard.press('/');
  await keyboard.type('dic paw');
  await option.waitFor();
  // In the list of results, a gap separates the name of an API key from its account.
  const boxOf = (text: string) => option.getByText(text).boundingBox();
  const [name, account] = [await boxOf('Nordic Paws'), await boxOf('Q-4711')];
  expect((account?.x ?? 0) - (name?.x ?? 0) - (name?.width ?? 0)).toBeGreaterThan(8);
  await keyboard.press('ArrowDown');
  await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
  await keyboard.press('Enter');
  await tab.heading('Nordic Paws, web shop');
  await box.fill('BOUR VET');
  await page.getByRole('option', { name: 'Harbour Vets' }).getByText('Account, 0 keys').click();
  await tab.heading('Harbour Vets');
  // Enter opens the result that matches the text exactly, even before the search has finished.
  await box.fill(token.slice(0, 8));
  await keyboard.press('Enter');
  await tab.heading('Nordic Paws, web shop');
  // If a search text is too long or an address is invalid, the console shows a message and
  // continues to work.
  await box.fill('no key'.repeat(50));
  await page.getByText('No results.').waitFor();
  await tab.show('#/key/no-id');
  await page.getByText('Could not load the key.').waitFor();
  // The console repeats a search that failed.
  let searches = 0;
  await page.route(/\/admin\/v1\/keys\?.*search=/, (route) => {
    searches += 1;
    return searches === 1 ? route.fulfill({ status: 503, json: {} }) : route.continue();
  });
  // The search text cannot be the start of an id, so the console sends no further request for ids.
  await box.fill('q-471');
  await option.waitFor();
  expect(searches).toBe(2);
  await keyboard.press('Enter');
  await expect.poll(() => tab.rows('Keys').count()).toBe(1);

  await page.getByLabel('Name, account, token or ID').fill(token);
  await page.getByText('The first 8 characters of a token are enough').waitFor();
  await expect.poll(tab.query).toEqual({ search: token.slice(0, 8) });
  await tab.rows('Keys').filter({ hasText: 'Nordic Paws' }).waitFor();
  expect([...tab.requests, page.url()].join()).not.toContain(token.slice(0, 9));
}
