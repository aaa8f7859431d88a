import { readFile } from 'node:fs/promises';
import type { AuditEntry, LedgerOfKey } from '@animal-store/contract/admin';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsOf } from '../support/axe.ts';
import { tabTo } from '../support/browser.ts';
import { useConsole } from '../support/use-console.ts';

const { service, admin, open, createOperator } = useConsole();

const statusOf = async (token: string, json?: string) =>
  (await service.call('/pets', { token, ...(json && { json }) })).status;
const entriesOf = async (account: string, action: string) =>
  (await admin.call(`/audit?account=${account}&action=${action}`)).body as AuditEntry[];
const rowsOf = (page: Page) => page.getByRole('region', { name: 'Keys' }).locator('tbody tr');

/** Creates keys of an account, named `<account> 1` and so on. */
async function createKeys(account: string, count: number) {
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const json = (n: number) => JSON.stringify({ name: `${account} ${n}`, account, plan: 'free' });
  return await Promise.all(numbers.map((n) => admin.create(json(n))));
}

test('a key is created, used, edited, suspended, given another plan, rotated and revoked', async () => {
  await using tab = await open();
  const { page } = tab;
  const field = (label: string) => page.getByLabel(new RegExp(`^\\s*${label}`));
  await tab.show('#/keys');
  await page.getByRole('link', { name: 'New key' }).click();
  // What is refused is told at its field, in the words of the form, and what was typed stays.
  await field('Name').fill('  acme ');
  await field('Account').fill('x'.repeat(256));
  await field('Expires').fill('2020-01-31T12:00');
  await tab.press('Create the key');
  await page.getByText('Choose a time that is still to come.').waitFor();
  const faulty = page.locator('[name=account][aria-invalid=true]:focus');
  const [id = ''] = ((await faulty.getAttribute('aria-describedby')) ?? '').split(' ');
  expect(await page.locator(`[id="${id}"]`).textContent()).toContain('1 to 255 characters');
  expect(await violationsOf(page)).toEqual([]);
  await field('Account').fill('C-17');
  await field('Expires').fill('');
  await field('Plan').selectOption('enterprise');
  await field('Requests a minute').fill('50');
  await field('Requests a day').fill('5000');
  await field('May').selectOption('Only read');
  await tab.press('Create the key');
  const token = await tab.takeToken();
  expect(await statusOf(token, '{"name":"Mia","categoryId":3}')).toBe(403);
  for (const target of ['/pets', '/pets', '/pets/1']) await service.call(target, { token });
  await page.getByRole('heading', { name: 'acme' }).waitFor();
  await page.getByText('50 a minute, 5,000 a day').waitFor();
  const outcomes = page.getByRole('table', { name: 'By outcome' });
  await outcomes.getByRole('row', { name: 'All 4' }).waitFor();
  const keyId = page.url().split('/').at(-1) ?? '';
  const { rows } = (await admin.call(`/keys/${keyId}/usage`)).body as LedgerOfKey;
  expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(4);
  await page.getByRole('table', { name: 'By operation' }).getByText('deprecated').waitFor();

  await page.getByRole('button', { name: 'Edit name' }).click();
  // A name cannot be taken away.
  await field('Name').fill('');
  await tab.press('Save');
  await page.locator('[name=name]:invalid:focus').waitFor();
  await field('Name').fill('acme');
  await field('Account').fill('C-18');
  await field('May').selectOption('Read and write');
  await field('Expires').fill('2099-01-31T12:00');
  await tab.press('Save');
  await tab.notice('The key is changed.');
  await page.getByText('31 Jan 2099').first().waitFor();
  expect(await statusOf(token, '{"name":"Mia","categoryId":3}')).toBe(201);

  await tab.press('Suspend…');
  await field('Reason').fill('unpaid');
  await tab.press('Suspend the key');
  await page.getByText('Reason: unpaid').waitFor();
  expect(await statusOf(token)).toBe(403);
  await tab.press('Resume…');
  await tab.press('Resume');
  await tab.notice('The key is active again.');
  expect(await statusOf(token)).toBe(200);

  await tab.press('Change plan or limits…');
  await field('Plan').selectOption('pro');
  await tab.press('Change');
  await page.getByText('300 a minute, 10,000 a day').waitFor();

  await tab.press('Rotate…');
  await field('The present tokens stay valid').selectOption('0');
  await tab.press('Create a new token');
  const renewed = await tab.takeToken();
  expect([await statusOf(token), await statusOf(renewed)]).toEqual([401, 200]);

  await tab.press('Revoke…');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await statusOf(renewed)).toBe(200);
  await tab.press('Revoke…');
  await tab.press('Revoke the key');
  await tab.notice('The key is revoked.');
  expect(await statusOf(renewed)).toBe(401);
  await page.getByRole('group', { name: 'Actions' }).waitFor({ state: 'detached' });
  const text = await page.locator('body').textContent();
  for (const secret of [token, renewed]) expect(text).not.toContain(secret);

  // Other white space is the same account. Another letter case is another one, so the first try only warns.
  await tab.show('#/new-key');
  await field('Name').fill('other');
  await field('Account').fill('C-18\u00a0');
  await tab.press('Create the key');
  await tab.takeToken();
  await tab.show('#/new-key');
  await field('Name').fill('other');
  await field('Account').fill('c-18');
  await tab.press('Create the key');
  await page.getByText('There is already the account C-18. Letter case matters').waitFor();
  expect((await admin.call('/accounts?anyCaseOf=C-18')).body).toHaveLength(1);
  await tab.press('Create the key');
  await tab.takeToken();
});

test('a list is filtered, sorted, paged and reloaded by its address, and saved as a whole', async () => {
  await createKeys('listed', 101);
  await using tab = await open();
  const { page } = tab;
  const rows = rowsOf(page);
  await tab.show('#/keys?account=listed&sort=name');
  await rows.nth(49).waitFor();
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.getByRole('link', { name: 'First page' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'listed 1', exact: true }).waitFor();
  const name = page.getByRole('columnheader', { name: 'Name' });
  expect(await name.getAttribute('aria-sort')).toBe('ascending');
  await name.getByRole('button').click();
  await rows.first().filter({ hasText: 'listed 99' }).waitFor();
  // A row is a link, for the middle button as well.
  const cell = rows.first().getByText('active');
  for (const click of [
    () => cell.click({ button: 'middle' }),
    () => cell.click({ modifiers: ['ControlOrMeta'] }),
  ]) {
    const opened = page.context().waitForEvent('page');
    await click();
    const other = await opened;
    await other.getByRole('heading', { name: 'listed 99', level: 1 }).waitFor();
    await other.close();
  }
  expect(await name.getAttribute('aria-sort')).toBe('descending');
  await page.reload();
  await rows.first().filter({ hasText: 'listed 99' }).waitFor();
  const download = await tab.save('CSV of all keys that match');
  expect(download.suggestedFilename()).toBe('keys.csv');
  const [header, ...lines] = (await readFile(await download.path(), 'utf8')).split('\r\n');
  expect(header).toMatch(/^\ufeffid,name,/);
  expect(lines).toHaveLength(102);
  await page.getByLabel('Name, account, token or id').fill('nobody has this');
  await page.getByText('No key matches.').waitFor();
  await page.getByRole('link', { name: 'Show all keys' }).click();
  await rows.nth(49).waitFor();

  // What an operator did is found by the name of the operator.
  const { operator, token } = await createOperator('operator');
  await admin.call('/keys', { json: '{"name":"by an operator","plan":"free"}', token });
  await tab.show('#/audit');
  const entries = page.getByRole('region', { name: 'Audit log' }).locator('tbody tr');
  await page.getByLabel('Action').selectOption('Key created');
  await page.getByLabel(/^By/).selectOption(operator.id);
  await entries.filter({ hasText: 'by an operator' }).waitFor();
  await expect.poll(() => entries.count()).toBe(1);
  await page.reload();
  await entries.filter({ hasText: 'by an operator' }).waitFor();
  expect(await page.getByLabel('Action').inputValue()).toBe('key.created');
  await expect.poll(() => page.getByLabel(/^By/).inputValue()).toBe(operator.id);
});

test('one search finds keys and accounts by parts of their names, ids and tokens, which it keeps to itself', async () => {
  const json = '{"name":"Nordic Paws, web shop","account":"C-4711","plan":"free"}';
  const { key, token } = await admin.create(json);
  await admin.call('/accounts/Harbour%20Vets', { method: 'PUT', json: '{"plan":"business"}' });
  await using tab = await open({ expected: /503/ });
  const { page } = tab;
  const { keyboard } = page;
  const box = page.getByRole('combobox', { name: 'Search keys and accounts' });
  const option = page.getByRole('option', { name: 'Nordic Paws' });
  await tab.show('#/audit');
  await keyboard.press('/');
  await keyboard.type('dic paw');
  await option.waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await keyboard.press('ArrowDown');
  await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Nordic Paws, web shop' }).waitFor();
  for (const text of [key.id, key.id.slice(0, 8), token.slice(0, 8)]) {
    await box.fill(text);
    await option.waitFor();
  }
  await box.fill('BOUR VET');
  await page.getByRole('option', { name: 'Harbour Vets' }).getByText('Account, 0 keys').click();
  await page.getByRole('heading', { name: 'Harbour Vets', level: 1 }).waitFor();
  // Enter opens what is called exactly so, also before it is found.
  await box.fill(token.slice(0, 8));
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Nordic Paws, web shop' }).waitFor();
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await keyboard.press('Escape');
  // However much is pasted, and whatever an address says, it ends in words.
  await box.fill('x'.repeat(300));
  await page.getByText('Nothing matches.').waitFor();
  await tab.show(`#/keys/${key.id}`);
  await page.getByRole('heading', { name: 'Nordic Paws, web shop' }).waitFor();
  await tab.show('#/key/no-id');
  await page.getByText('Could not load the key.').waitFor();
  await page.getByRole('link', { name: 'Look for it in the list' }).click();
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  // What fails is repeated.
  let searches = 0;
  await page.route(/\/admin\/v1\/keys\?.*search=/, (route) => {
    searches += 1;
    return searches === 1 ? route.fulfill({ status: 503, json: {} }) : route.continue();
  });
  await box.fill('4711');
  await option.waitFor();
  expect(searches).toBe(2);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  await expect.poll(() => rowsOf(page).count()).toBe(1);

  await page.getByLabel('Name, account, token or id').fill(token);
  await page.getByText('The first 8 characters of a token are enough').waitFor();
  await expect.poll(tab.query).toEqual({ search: token.slice(0, 8) });
  await rowsOf(page).filter({ hasText: 'Nordic Paws' }).waitFor();
  expect([...tab.requests, page.url()].join()).not.toContain(token.slice(0, 9));
});

test('several keys are moved, suspended and resumed, what fails is tried again, and five are revoked by keyboard', async () => {
  const [, , , last] = await createKeys('from', 4);
  await admin.call(`/keys/${last?.key.id}/revoke`, { method: 'POST' });
  await using tab = await open({ expected: /503/ });
  const { page } = tab;
  const { keyboard } = page;
  const dialog = page.getByRole('dialog');
  const all = page.getByLabel('Select all rows');
  await tab.show('#/keys?account=from');
  await page.getByLabel('Select from 1').check();
  await page.getByLabel('Select from 2').check();
  await page.getByLabel('Select from 4').check();
  await tab.press('Move to an account…');
  await dialog.getByText('1 key left out').waitFor();
  await dialog.getByLabel('Account').fill('to');
  await tab.press('Move 2 keys');
  await tab.notice('2 keys moved.');
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  expect(await entriesOf('to', 'key.changed')).toHaveLength(2);

  await tab.show('#/keys?account=to');
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  for (const [action, past, state] of [
    ['Suspend', 'suspended', 'suspended'],
    ['Resume', 'resumed', 'active'],
  ] as const) {
    await all.check();
    await tab.press(`${action}…`);
    await tab.press(`${action} 2 keys`);
    await tab.notice(`2 keys ${past}.`);
    await expect.poll(() => rowsOf(page).filter({ hasText: state }).count()).toBe(2);
  }
  let requests = 0;
  await page.route('**/revoke*', (route) => {
    requests += 1;
    return requests === 1 ? route.fulfill({ status: 503, json: {} }) : route.continue();
  });
  await all.check();
  await tab.press('Revoke…');
  await tab.press('Revoke 2 keys');
  await page.getByRole('alert').filter({ hasText: '1 key revoked, 1 not' }).waitFor();
  expect(await dialog.getByRole('listitem').count()).toBe(1);
  await tab.press('Revoke 1 key');
  await dialog.waitFor({ state: 'detached' });
  expect(await entriesOf('to', 'key.revoked')).toHaveLength(2);

  await createKeys('five', 5);
  await page.locator('main').focus();
  await tabTo(page, 'Account');
  await keyboard.press('Control+A');
  await keyboard.type('five');
  await expect.poll(() => rowsOf(page).count()).toBe(5);
  await tabTo(page, 'Select all rows');
  await keyboard.press('Space');
  await tab.notice('5 keys selected');
  await keyboard.press('b');
  await tabTo(page, 'Revoke…', 9);
  await keyboard.press('Enter');
  expect(await dialog.getByRole('listitem').count()).toBe(5);
  expect(await violationsOf(page)).toEqual([]);
  // The reason has the focus.
  await keyboard.type('the contract ended');
  await keyboard.press('Enter');
  await tab.notice('5 keys revoked.');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => rowsOf(page).filter({ hasText: 'revoked' }).count()).toBe(5);
  const entries = await entriesOf('five', 'key.revoked');
  expect(entries.map(({ reason }) => reason)).toEqual(Array(5).fill('the contract ended'));
});
