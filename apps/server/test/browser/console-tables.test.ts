import { readFile } from 'node:fs/promises';
import type { AuditEntry } from '@animal-store/contract/admin';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, useAdmin } from '../support/admin.ts';
import { violationsOf } from '../support/axe.ts';
import { openConsole } from '../support/console-browser.ts';
import { useBrowser } from '../support/use-browser.ts';

const { service, admin } = useAdmin('embedded');
const browser = useBrowser();

const open = (width = 1440) =>
  openConsole(browser, service.server.opsUrl, { viewport: { width, height: 900 } });

async function createKeys(account: string, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) {
    await admin.create(JSON.stringify({ name: `${account} ${n}`, account, plan: 'free' }));
  }
}

const rowsOf = (page: Page) => page.getByRole('region', { name: 'Keys' }).locator('tbody tr');

describe('tables', () => {
  beforeAll(() => createKeys('long', 55));

  test('50 rows fit on the screen of a laptop, under a head that stays', async () => {
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show('#/keys?account=long');
    await rowsOf(page).nth(49).waitFor();
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByLabel('Compact').check();
    await page.keyboard.press('Escape');
    // Rounded up: a page is scrolled by whole pixels, and the head stays once the table has left the top.
    await page.evaluate(
      'scrollBy(0, Math.ceil(document.querySelector("table").getBoundingClientRect().top))',
    );
    const box = async (selector: string, n: number) =>
      (await page.locator(selector).nth(n).boundingBox()) ?? { y: NaN, height: NaN };
    const head = await box('thead th', 0);
    const [first, last] = [await box('tbody tr', 0), await box('tbody tr', 49)];
    // A page scrolls by whole pixels, and a row may begin between them.
    expect(Math.round(head.y)).toBe(0);
    expect(first.y).toBeGreaterThanOrEqual(head.y + head.height - 1);
    expect(last.y + last.height).toBeLessThanOrEqual(900);
    expect(await violationsOf(page)).toEqual([]);
    // It is remembered, and the head is there at the end of the list, too.
    await page.reload();
    await rowsOf(page).nth(49).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.density')).toBe('compact');
    await page.setViewportSize({ width: 1440, height: 400 });
    await page.evaluate('scrollTo(0, 500)');
    expect((await box('thead th', 0)).y).toBe(0);
    expect(tab.complaints).toEqual([]);
  });

  test.each([
    [1440, 9],
    [1024, 5],
  ])('at %d px the keys are a table with at least %d columns', async (width, columns) => {
    await using tab = await open(width);
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show('#/keys?account=long');
    await rowsOf(page).nth(49).waitFor();
    const head = page.getByRole('region', { name: 'Keys' }).locator('thead th:visible');
    expect(await head.count()).toBeGreaterThanOrEqual(columns);
    const cells = rowsOf(page).first().locator('th:visible, td:visible');
    const tops = await cells.evaluateAll((all) =>
      all.map((cell) => cell.getBoundingClientRect().y),
    );
    expect(new Set(tops).size).toBe(1);
  });

  test('on a phone the cards of keys can be sorted', async () => {
    await using tab = await open(360);
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show('#/keys?account=long');
    await rowsOf(page).nth(49).waitFor();
    await page.getByRole('button', { name: 'Name' }).click();
    await rowsOf(page).first().filter({ hasText: 'long 1' }).waitFor();
    expect(page.url()).toContain('sort=name');
  });

  test('times are relative, or absolute for whoever prefers that', async () => {
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show('#/keys?account=long');
    const created = rowsOf(page).first().locator('time');
    expect(await created.textContent()).toMatch(/ago|now/);
    expect(await created.getAttribute('title')).toMatch(/UTC/);
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByLabel('Absolute').check();
    await expect.poll(() => created.textContent()).toMatch(/\d{4}, \d\d:\d\d/);
  });

  test('a theme holds whatever the system has, also after a reload', async () => {
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await paper()).toBe('rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByLabel('Dark').check();
    expect(await violationsOf(page)).toEqual([]);
    const dark = await paper();
    expect(dark).not.toBe('rgb(255, 255, 255)');
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await paper()).toBe(dark);
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByLabel('As the system').check();
    await expect.poll(paper).toBe('rgb(255, 255, 255)');
    // Who has the usual view leaves nothing on the disk.
    await expect.poll(() => page.evaluate('localStorage.length')).toBe(0);
  });

  test('the id of a key is copied', async () => {
    const { key } = await admin.create('{"name":"copied","plan":"free"}');
    await using tab = await open();
    const { page } = tab;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await tab.logIn(adminToken);
    await tab.show(`#/key/${key.id}`);
    await page.getByRole('button', { name: 'Copy the id' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied the id.' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key.id);
  });

  test('a list without entries says what to do next', async () => {
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show('#/keys?account=nobody');
    await page.getByText('No key matches.').waitFor();
    await page.getByRole('link', { name: 'Show all keys' }).click();
    await rowsOf(page).nth(49).waitFor();
    await tab.show('#/operators');
    await page.getByRole('button', { name: 'Create the first one…' }).click();
    await page.getByRole('dialog', { name: 'New operator' }).waitFor();
  });
});

test('a list is saved as one CSV file, with all of its pages', async () => {
  const names = Array.from({ length: 101 }, (_, n) => `saved ${String(n).padStart(3, '0')}`);
  for (const name of names) {
    await admin.call(`/accounts/${encodeURIComponent(name)}`, {
      method: 'PUT',
      json: '{"plan":"pro"}',
    });
  }
  await using tab = await open();
  const { page } = tab;
  await tab.logIn(adminToken);
  await tab.show('#/accounts?search=saved');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV of all accounts that match' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe('accounts.csv');
  const text = await readFile(await download.path(), 'utf8');
  const [header, ...rows] = text.split('\r\n');
  expect(header).toMatch(/^\ufeffaccount,plan,/);
  expect(rows.map((row) => row.split(',')[0])).toEqual([...names, '']);
  // Every other list has such a button, and stays accessible.
  await tab.show('#/keys');
  await page.getByRole('button', { name: 'CSV of all keys that match' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await tab.show('#/audit');
  await page.getByRole('button', { name: 'CSV of all entries that match' }).waitFor();
  expect(tab.complaints).toEqual([]);
});

describe('one search', () => {
  test('/ goes to it from every page, and it finds a key from the middle of its name', async () => {
    await admin.create('{"name":"Nordic Paws, web shop","account":"C-4711","plan":"free"}');
    await using tab = await open();
    const { page } = tab;
    const { keyboard } = page;
    await tab.logIn(adminToken);
    await tab.show('#/audit');
    await keyboard.press('/');
    await keyboard.type('dic paw');
    const option = page.getByRole('option', { name: 'Nordic Paws' });
    await option.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keyboard.press('ArrowDown');
    await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nordic Paws, web shop' }).waitFor();
    // By the account, in the list.
    await keyboard.press('/');
    await keyboard.type('4711');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    expect(page.url()).toContain('search=4711');
    expect(tab.complaints).toEqual([]);
  });

  test('it is repeated after a failure', async () => {
    await admin.create('{"name":"Alpine Paws","plan":"free"}');
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    let searches = 0;
    await page.route(/\/admin\/v1\/keys\?.*search=/, (route) => {
      searches += 1;
      return searches === 1 ? route.abort() : route.continue();
    });
    await page.getByRole('combobox', { name: 'Search keys and accounts' }).fill('alpine');
    await page.getByRole('option', { name: 'Alpine Paws' }).waitFor();
    expect(searches).toBe(2);
  });

  test('it finds an account that has no keys, and leads to its page', async () => {
    await admin.call('/accounts/Harbour%20Vets', { method: 'PUT', json: '{"plan":"business"}' });
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    await page.getByRole('combobox', { name: 'Search keys and accounts' }).fill('BOUR VET');
    const option = page.getByRole('option', { name: 'Harbour Vets' });
    await option.getByText('Account, 0 keys').waitFor();
    await option.click();
    await page.getByRole('heading', { name: 'Harbour Vets', level: 1 }).waitFor();
    await tab.show('#/accounts?search=harb');
    await page.getByRole('row').filter({ hasText: 'Harbour Vets' }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  test('it finds a key by its id and by the start of its token', async () => {
    const { key, token } = await admin.create('{"name":"found by others","plan":"free"}');
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    for (const text of [key.id, key.id.slice(0, 8), token.slice(0, 8)]) {
      await page.getByRole('combobox', { name: 'Search keys' }).fill(text);
      await page.getByRole('option', { name: 'found by others' }).waitFor();
    }
  });

  test('a whole token gets a hint, and is neither sent nor kept in the address', async () => {
    const { token } = await admin.create('{"name":"leaked","plan":"free"}');
    await using tab = await open();
    const { page } = tab;
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await tab.logIn(adminToken);
    await tab.show('#/keys');
    await page.getByLabel('Name, account, token or id').fill(token);
    await page.getByText('The first 8 characters of a token are enough').waitFor();
    await rowsOf(page).filter({ hasText: 'leaked' }).waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    expect([...sent, page.url()].join()).not.toContain(token.slice(0, 9));
    // A start that is too short is no error.
    await page.getByLabel('Name, account, token or id').fill('ast_12');
    await page.getByText('Go on: with 4 characters').waitFor();
    await page.getByText('No key matches.').waitFor();
    expect(await page.getByRole('alert').filter({ hasText: /\S/ }).count()).toBe(0);
  });
});

describe('several keys at once', () => {
  const entriesOf = async (account: string, action: string) =>
    (await admin.call(`/audit?account=${account}&action=${action}`)).body as AuditEntry[];

  test('by keyboard alone five keys of an account are revoked, each with its audit entry', async () => {
    await createKeys('five', 5);
    await createKeys('others', 1);
    await using tab = await open();
    const { page } = tab;
    const { keyboard } = page;
    /** Presses Tab until something is reached. */
    async function reach(name: string): Promise<void> {
      for (let n = 0; n < 80; n++) {
        await keyboard.press('Tab');
        const reached = await page.evaluate(`(() => {
          const { activeElement: element } = document;
          return (element.ariaLabel ?? (element.labels?.[0] ?? element).textContent).trim();
        })()`);
        if (String(reached).startsWith(name)) return;
      }
      throw new Error(`The keyboard does not reach ${name}.`);
    }
    // The field has the focus.
    await page.locator('input[name=token]:focus').waitFor();
    await keyboard.type(adminToken);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await reach('Keys');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await reach('Account');
    await keyboard.type('five');
    await expect.poll(() => rowsOf(page).count()).toBe(5);
    await reach('Select all rows');
    await keyboard.press('Space');
    await page.getByRole('status').filter({ hasText: '5 keys selected' }).waitFor();
    await reach('Revoke…');
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Revoke: 5 keys' });
    await expect.poll(() => dialog.getByRole('listitem').count()).toBe(5);
    expect(await violationsOf(page)).toEqual([]);
    await reach('Reason');
    await keyboard.type('the contract ended');
    await keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: '5 keys revoked.' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => rowsOf(page).filter({ hasText: 'revoked' }).count()).toBe(5);
    const entries = await entriesOf('five', 'key.revoked');
    expect(entries.map(({ reason }) => reason)).toEqual(Array(5).fill('the contract ended'));
    expect(await entriesOf('others', 'key.revoked')).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  test('selected keys move to an account, and those that cannot are left out', async () => {
    await createKeys('from', 3);
    const { key } = await admin.create('{"name":"from revoked","account":"from","plan":"free"}');
    await admin.call(`/keys/${key.id}/revoke`, { method: 'POST' });
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show('#/keys?account=from');
    await page.getByLabel('Select from 1').check();
    await page.getByLabel('Select from 2').check();
    await page.getByLabel('Select from revoked').check();
    await page.getByRole('button', { name: 'Move to an account…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move to an account: 2 keys' });
    await dialog.getByText('1 key left out').waitFor();
    await dialog.getByLabel('Account').fill('to');
    await dialog.getByRole('button', { name: 'Move 2 keys' }).click();
    await page.getByRole('status').filter({ hasText: '2 keys moved.' }).waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    expect(await entriesOf('to', 'key.changed')).toHaveLength(2);
  });

  test('selected keys are suspended, and resumed', async () => {
    await createKeys('pause', 2);
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show('#/keys?account=pause');
    for (const [action, past, state] of [
      ['Suspend', 'suspended', 'suspended'],
      ['Resume', 'resumed', 'active'],
    ] as const) {
      await page.getByLabel('Select all rows').check();
      await page.getByRole('button', { name: `${action}…` }).click();
      await page.getByRole('button', { name: `${action} 2 keys` }).click();
      await page
        .getByRole('status')
        .filter({ hasText: `2 keys ${past}.` })
        .waitFor();
      await expect.poll(() => rowsOf(page).filter({ hasText: state }).count()).toBe(2);
    }
    expect(await entriesOf('pause', 'key.suspended')).toHaveLength(2);
    expect(await entriesOf('pause', 'key.resumed')).toHaveLength(2);
  });

  test('what fails is told, stays listed, and is tried again', async () => {
    await createKeys('half', 2);
    await using tab = await open();
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show('#/keys?account=half');
    let requests = 0;
    await page.route('**/revoke*', (route) => {
      requests += 1;
      return requests === 1 ? route.abort() : route.continue();
    });
    await page.getByLabel('Select all rows').check();
    await page.getByRole('button', { name: 'Revoke…' }).click();
    await page.getByRole('button', { name: 'Revoke 2 keys' }).click();
    await page.getByRole('alert').filter({ hasText: '1 key revoked, 1 not' }).waitFor();
    expect(await page.getByRole('dialog').getByRole('listitem').count()).toBe(1);
    await page.getByRole('button', { name: 'Revoke 1 key' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await entriesOf('half', 'key.revoked')).toHaveLength(2);
  });

  test('a viewer is not offered to select', async () => {
    await createKeys('seen', 1);
    const json = JSON.stringify({ name: 'a viewer', role: 'viewer' });
    const { token } = (await admin.call('/operators', { json })).body as { token: string };
    await using tab = await open();
    await tab.logIn(token);
    await tab.show('#/keys?account=seen');
    await rowsOf(tab.page).first().waitFor();
    expect(await tab.page.getByRole('checkbox').count()).toBe(0);
  });
});
