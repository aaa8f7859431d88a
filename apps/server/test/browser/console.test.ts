import { fileURLToPath } from 'node:url';
import type {
  IssuedKey,
  IssuedOperator,
  LedgerOfKey,
  Overview,
} from '@animal-store/contract/admin';
import { openRedis, openTcpProxy, until } from '@animal-store/testkit';
import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Admin, adminOf, adminToken } from '../support/admin.ts';
import { violationsOf } from '../support/axe.ts';
import { type ConsoleTab, openConsole } from '../support/console-browser.ts';
import { call, startService, type TestService, useService } from '../support/test-service.ts';
import { useBrowser } from '../support/use-browser.ts';

/** Bans at the third denial in a row. */
const env = {
  ADMIN_TOKEN: adminToken,
  BAN_MIN_STRIKES: '1',
  BAN_STRIKE_PERCENT: '0',
  BAN_GRACE_MS: '0',
};

/** Names that somebody could choose to do harm. */
const hostileNames = {
  'an image': '<img src=x onerror=alert(1)>',
  'a script': '"><script>alert(2)</script>',
  'text from right to left': '\u202Egnp.ecaf\u202C and \u2067isolated',
  '255 astral characters': '🐈'.repeat(255),
};

/** Where pictures of the pages are left, to be looked at. */
const pictures = fileURLToPath(
  new URL('../../node_modules/.screenshots/console/', import.meta.url),
);

const browser = useBrowser();

async function createOperator(admin: Admin, role: string): Promise<IssuedOperator> {
  const json = JSON.stringify({ name: `a ${role}`, role });
  return (await admin.call('/operators', { json })).body as IssuedOperator;
}

/** What a screen reader hears, as Chromium tells it: the role and the name of each part, in order. */
async function heardOn(page: Page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => ({
      role: String(role?.value),
      name: String(name?.value ?? '').trim(),
      level: Number(properties.find((property) => property.name === 'level')?.value.value),
    }));
}

/** How far the page reaches beyond the screen. */
const overflowOf = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe.each(['embedded', 'Postgres and Redis'] as const)('on %s', (kind) => {
  const stack = new AsyncDisposableStack();
  let service: TestService;
  let admin: Admin;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    const redis = kind === 'embedded' ? undefined : stack.use(await openRedis());
    service = stack.use(
      await startService(kind === 'embedded' ? 'embedded' : 'postgres', {
        env: { ...env, ...(redis !== undefined && { REDIS_URL: redis.url }) },
      }),
    );
    admin = adminOf(service.server);
    tab = stack.use(await openConsole(browser, service.server.opsUrl));
    page = tab.page;
    await tab.logIn(adminToken);
  });
  afterAll(() => stack.disposeAsync());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  /** Waits until a notice says so. */
  const notice = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

  /** Reads a token out of the dialog that shows it, and closes it. */
  async function takeToken(): Promise<string> {
    const token = await dialog().getByLabel('Token', { exact: true }).inputValue();
    await button('I have kept it').click();
    await dialog().waitFor({ state: 'detached' });
    return token;
  }

  const statusOf = async (token: string) => (await service.call('/pets', { token })).status;
  const addWith = async (token: string) =>
    (await service.call('/pets', { token, json: '{"name":"Mia","categoryId":3}' })).status;
  const bannedKey = async (name: string): Promise<IssuedKey> => {
    const quota = { perMinute: 1, perDay: 100 };
    const issued = await admin.create(JSON.stringify({ name, plan: 'enterprise', quota }));
    await until(async () => {
      const { body } = await service.call('/pets', { token: issued.token });
      return (body as { code?: string }).code === 'key_temporarily_banned';
    });
    return issued;
  };

  test('a key that gets 429 is found, understood and unbanned without a terminal', async () => {
    const { key, token } = await bannedKey('why do we get 429');
    const banned = page.locator('.state', { hasText: 'Banned until' });
    await tab.show('#/keys');
    await page.getByLabel('Name, account, token or id').fill('why do');
    await page.getByRole('link', { name: 'why do we get 429' }).click();
    await banned.waitFor();
    // The numbers are those of the admin API.
    const { body } = await admin.call(`/keys/${key.id}`);
    const { windows } = (
      body as { usage: { windows: { day: { limit: number; remaining: number } } } }
    ).usage;
    const used = windows.day.limit - windows.day.remaining;
    await page.getByText(`${used} of ${windows.day.limit}`).waitFor();

    await page.getByRole('button', { name: 'Unban…' }).click();
    await dialog().getByLabel('Reason').fill('they fixed their client');
    await button('Unban').click();
    await notice('The key is unbanned.');
    await banned.waitFor({ state: 'detached' });
    const after = await service.call('/pets', { token });
    expect((after.body as { code: string }).code).toBe('rate_limit_exceeded');
    await page.getByText('they fixed their client').waitFor();
  });

  test('the overview shows as many requests as were sent, and as the admin API', async () => {
    await tab.show('#/overview');
    for (let n = 0; n < 25; n++) await service.call('/pets');
    const { requests } = ((await admin.call('/overview')).body as Overview).traffic;
    expect(requests.ok).toBeGreaterThanOrEqual(25);
    const row = page.getByRole('row').filter({ hasText: /^\s*OK/ });
    await row.filter({ hasText: String(requests.ok) }).waitFor();
    const state = page.getByRole('region', { name: 'State' });
    await state.getByText('answers').first().waitFor();
    expect(await state.textContent()).toContain(kind === 'embedded' ? 'Embedded' : 'Redis');
  });

  test('the usage of a key is what was sent with it', async () => {
    const { key, token } = await admin.create('{"name":"counted","plan":"business"}');
    for (let n = 0; n < 12; n++) await service.call('/pets', { token });
    for (let n = 0; n < 5; n++) await service.call('/pets?limit=0', { token });
    await service.call('/pets/1', { token });
    await tab.show(`#/key/${key.id}`);
    const outcomes = page.getByRole('table', { name: 'By outcome' });
    await outcomes.getByRole('row', { name: 'All 18' }).waitFor();
    const { rows } = (await admin.call(`/keys/${key.id}/usage`)).body as LedgerOfKey;
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(18);
    await outcomes
      .getByRole('row', { name: 'Client error (4xx) 6' })
      .or(outcomes.getByRole('row', { name: 'Client error (4xx) 5' }))
      .waitFor();
    await page.getByRole('table', { name: 'By operation' }).getByText('deprecated').waitFor();
    // What is behind the canvas, for screen readers.
    await page.getByText('Requests by minute: as a table').click();
    await page
      .getByRole('region', { name: 'Requests by minute' })
      .getByRole('row')
      .nth(1)
      .waitFor();
    await page.getByLabel('30 days').check();
    await outcomes.getByRole('row', { name: 'All 18' }).waitFor();
    expect(page.url()).toContain('range=month');
    await tab.show('#/deprecation');
    const caller = page.getByRole('row').filter({ hasText: 'counted' });
    await caller.filter({ hasText: 'business' }).filter({ hasText: '1' }).waitFor();
  });

  test('a key is created, edited, given another plan, rotated and revoked', async () => {
    await tab.show('#/keys');
    await page.getByRole('link', { name: 'New key' }).click();
    await page.getByLabel(/^Name/).fill('  acme ');
    await page.getByLabel(/^Account/).fill('C-17');
    await page.getByLabel('Plan').selectOption('enterprise');
    await page.getByLabel('Requests a minute').fill('50');
    await page.getByLabel('Requests a day').fill('5000');
    await page.getByLabel(/^May/).selectOption('Only read');
    await button('Create the key').click();
    const token = await takeToken();
    expect(await addWith(token)).toBe(403);
    expect(await statusOf(token)).toBe(200);
    await page.getByRole('heading', { name: 'acme' }).waitFor();
    await page.getByText('50 a minute, 5,000 a day').waitFor();

    await page.getByRole('button', { name: 'Edit name' }).click();
    await dialog().getByLabel('Account').fill('C-18');
    await dialog().getByLabel(/^May/).selectOption('Read and write');
    await dialog().getByLabel('Expires').fill('2099-01-31T12:00');
    await button('Save').click();
    await notice('The key is changed.');
    await page.getByText('31 Jan 2099').first().waitFor();
    expect(await addWith(token)).toBe(201);

    await page.getByRole('button', { name: 'Suspend…' }).click();
    await dialog().getByLabel('Reason').fill('unpaid');
    await button('Suspend the key').click();
    await notice('The key is suspended.');
    await page.getByText('Reason: unpaid').waitFor();
    expect(await statusOf(token)).toBe(403);
    await page.getByRole('button', { name: 'Resume…' }).click();
    await button('Resume').click();
    await notice('The key is active again.');
    expect(await statusOf(token)).toBe(200);

    await page.getByRole('button', { name: 'Change plan' }).click();
    await dialog().getByLabel('Plan').selectOption('pro');
    await button('Change').click();
    await page.getByText('300 a minute, 10,000 a day').waitFor();

    await page.getByRole('button', { name: 'Rotate…' }).click();
    await dialog().getByLabel('The present tokens stay valid').selectOption('0');
    await button('Create a new token').click();
    const renewed = await takeToken();
    expect([await statusOf(token), await statusOf(renewed)]).toEqual([401, 200]);

    await page.getByRole('button', { name: 'Revoke…' }).click();
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await statusOf(renewed)).toBe(200);
    await page.getByRole('button', { name: 'Revoke…' }).click();
    await button('Revoke the key').click();
    await notice('The key is revoked.');
    expect(await statusOf(renewed)).toBe(401);
    await page.getByRole('group', { name: 'Actions' }).waitFor({ state: 'detached' });
    const text = await page.locator('body').textContent();
    expect(text).not.toContain(token);
    expect(text).not.toContain(renewed);
  });

  test('the audit log tells who did what, and its filters are in the address', async () => {
    await tab.show('#/audit');
    await page.getByLabel('Action').selectOption('Key revoked');
    const rows = page.getByRole('region', { name: 'Audit log' }).getByRole('row');
    await rows.filter({ hasText: 'ADMIN_TOKEN' }).filter({ hasText: 'acme' }).waitFor();
    expect(await rows.filter({ hasText: 'Key created' }).count()).toBe(0);
    expect(page.url()).toContain('action=key.revoked');
    await page.reload();
    await rows.filter({ hasText: 'acme' }).waitFor();
    expect(await page.getByLabel('Action').inputValue()).toBe('key.revoked');
  });

  test('what is refused is told at its field, in the words of the form', async () => {
    await tab.show('#/new-key');
    const field = (label: string) => page.getByLabel(new RegExp(`^\\s*${label}`));
    await field('Name').fill('kept');
    await field('Account').fill('x'.repeat(256));
    await field('Expires').fill('2020-01-31T12:00');
    await button('Create the key').click();
    await page.getByText('Choose a time that is still to come.').waitFor();
    const described = page.locator('[name=account][aria-invalid=true]');
    await described.waitFor();
    const [id = ''] = ((await described.getAttribute('aria-describedby')) ?? '').split(' ');
    expect(await page.locator(`[id="${id}"]`).textContent()).toContain('1 to 255 characters');
    expect(await page.locator('main').textContent()).not.toContain('expected');
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('account');
    expect(await field('Name').inputValue()).toBe('kept');
    expect(await violationsOf(page)).toEqual([]);
    await page.screenshot({ path: `${pictures}form-faults.png` });
    await tab.show('#/keys');
  });

  test('banned keys look banned in the list, and are found by a filter', async () => {
    await bannedKey('a banned key');
    await admin.create('{"name":"a free key","plan":"free"}');
    await tab.show('#/keys?name=a%20');
    const rows = page.getByRole('region', { name: 'Keys' }).getByRole('row');
    await rows.filter({ hasText: 'a free key' }).filter({ hasText: 'active' }).waitFor();
    await rows.filter({ hasText: 'a banned key' }).filter({ hasText: '▲ banned' }).waitFor();
    await page.getByLabel('State').selectOption('banned');
    await rows.filter({ hasText: 'a free key' }).waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'a banned key' }).waitFor();
  });

  test('what an operator did is found by the name of the operator', async () => {
    const { operator, token } = await createOperator(admin, 'operator');
    await admin.call('/keys', { json: '{"name":"by an operator","plan":"free"}', token });
    await tab.show('#/audit');
    const rows = page.getByRole('region', { name: 'Audit log' }).getByRole('row');
    await rows.filter({ hasText: 'Operator created' }).first().waitFor();
    const [prefix] = operator.tokens.map((shown) => shown.prefix);
    await page.getByLabel(/^By/).selectOption(`\u2068a operator\u2069 (operator, ${prefix})`);
    await rows.filter({ hasText: 'by an operator' }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await rows.filter({ hasText: 'by an operator' }).waitFor();
    await expect.poll(() => page.getByLabel(/^By/).inputValue()).toBe(operator.id);
  });

  test('keys are filtered, and come in pages', async () => {
    for (let n = 0; n < 55; n++) await admin.create(`{"name":"many ${n}","plan":"free"}`);
    await tab.show('#/keys?plan=free&name=many');
    const rows = page.getByRole('region', { name: 'Keys' }).getByRole('row');
    await rows.nth(50).waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'First page' }).waitFor();
    await expect.poll(() => rows.count()).toBe(6);
    await page.goBack();
    await rows.nth(50).waitFor();
    await page.getByLabel('Name, account, token or id').fill('nobody has this');
    await page.getByText('No key matches.').waitFor();
  });

  test('keys are sorted as the address says', async () => {
    for (const name of ['banana', 'Apple', 'cherry']) {
      await admin.create(JSON.stringify({ name, account: 'fruit', plan: 'free' }));
    }
    await tab.show('#/keys?account=fruit');
    const names = () => page.getByRole('rowheader').allTextContents();
    const trimmed = async () => (await names()).map((name) => name.trim());
    await expect.poll(trimmed).toEqual(['cherry', 'Apple', 'banana']);
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await expect.poll(trimmed).toEqual(['Apple', 'banana', 'cherry']);
    expect(page.url()).toContain('sort=name');
    await page.reload();
    await expect.poll(trimmed).toEqual(['Apple', 'banana', 'cherry']);
    const header = page.getByRole('columnheader', { name: 'Name' });
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    await header.getByRole('button').click();
    await expect.poll(trimmed).toEqual(['cherry', 'banana', 'Apple']);
    expect(await header.getAttribute('aria-sort')).toBe('descending');
  });

  test('an operator is created, rotated and revoked', async () => {
    await tab.show('#/operators');
    await page.getByRole('button', { name: 'New operator…' }).click();
    await dialog().getByLabel(/^Name/).fill('Bob');
    await dialog().getByLabel('Role').selectOption('operator');
    await button('Create the operator').click();
    const token = await takeToken();
    const may = async (bearer: string) => (await admin.call('/keys', { token: bearer })).status;
    expect(await may(token)).toBe(200);
    await page.getByRole('button', { name: 'Rotate… Bob' }).click();
    await dialog().getByLabel('The present tokens stay valid').selectOption('0');
    await button('Create a new token').click();
    const renewed = await takeToken();
    expect([await may(token), await may(renewed)]).toEqual([401, 200]);
    await page.getByRole('button', { name: 'Revoke… Bob' }).click();
    await button('Revoke the operator').click();
    await notice('The operator is revoked.');
    expect(await may(renewed)).toBe(401);
  });

  test('a viewer is offered nothing that would be refused', async () => {
    const { key } = await bannedKey('looked at');
    const { token } = await createOperator(admin, 'viewer');
    await using viewer = await openConsole(browser, service.server.opsUrl);
    await viewer.logIn(token);
    await viewer.show(`#/key/${key.id}`);
    await viewer.page.locator('.state', { hasText: 'Banned until' }).waitFor();
    expect(await viewer.page.getByRole('group', { name: 'Actions' }).count()).toBe(0);
    for (const link of ['#/keys', '#/operators', '#/audit']) {
      await viewer.show(link);
      await viewer.page.getByRole('table').first().waitFor();
      const names = await viewer.page.getByRole('button').allTextContents();
      expect(names.filter((name) => name.includes('…') || name.startsWith('New'))).toEqual([]);
      expect(await viewer.page.getByRole('link', { name: 'New key' }).count()).toBe(0);
    }
    await viewer.show('#/new-key');
    await viewer.page.getByText('Your role, viewer, does not allow this.').waitFor();
    expect(viewer.complaints).toEqual([]);
  });

  test.each(Object.entries(hostileNames))(
    'a key named like %s is text on every page',
    async (_, name) => {
      // The name of an account may not be invisible in part.
      const account = name.replaceAll(/\p{Cf}/gu, '');
      const { key } = await admin.create(JSON.stringify({ name, account, plan: 'free' }));
      await service.call('/pets/1', { token: (await admin.create('{"plan":"free"}')).token });
      for (const link of ['#/keys', `#/key/${key.id}`, '#/audit']) {
        await tab.show(link);
        await page.locator('bdi').filter({ hasText: name }).first().waitFor();
        expect(await page.locator('img, main script').count()).toBe(0);
        expect(await overflowOf(page)).toBe(0);
      }
    },
  );

  test('a session that is revoked while the page is open leads to the login, and back', async () => {
    const { operator, token } = await createOperator(admin, 'operator');
    await using other = await openConsole(browser, service.server.opsUrl);
    await other.logIn(token);
    await other.show('#/keys?plan=free');
    await admin.call(`/operators/${operator.id}/revoke`, { method: 'POST' });
    await other.page.getByLabel('Your operator token').waitFor();
    await other.page.getByRole('status').filter({ hasText: 'Your session has ended' }).waitFor();
    await other.logIn(adminToken);
    await other.page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    expect(await other.page.getByLabel('Plan').inputValue()).toBe('free');
    expect(other.complaints).toEqual([]);
  });

  test('the service going away shows, and so does its return', async () => {
    const { hostname, port } = new URL(service.server.opsUrl);
    await using proxy = await openTcpProxy({ target: { host: hostname, port: Number(port) } });
    const url = new URL(proxy.via(service.server.opsUrl)).origin;
    await using other = await openConsole(browser, url, { isOutageExpected: true });
    await other.logIn(adminToken);
    await other.page.getByText('Busiest keys today').waitFor();
    await proxy.cut();
    const bar = other.page
      .getByRole('status')
      .filter({ hasText: 'The service has not answered since' });
    await bar.waitFor();
    // What was there stays.
    await other.page.getByText('Busiest keys today').waitFor();
    await proxy.resume();
    await bar.waitFor({ state: 'detached' });
    expect(other.complaints).toEqual([]);
  });

  test('nothing was asked of others, refused by the policy, or complained about', () => {
    expect(tab.complaints).toEqual([]);
  });
});

describe('the session', () => {
  const service = useService('postgres', { env });

  test('a session that expires while the page is open leads to the login, and back', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    await tab.logIn(adminToken);
    await tab.show('#/audit?action=key.revoked');
    await tab.page.getByText('Nothing is recorded').waitFor();
    const { db, close } = await service.database.open();
    await db.execute(sql`update operator_sessions set expires_at = now()`);
    await close();
    await tab.page.getByRole('status').filter({ hasText: 'Your session has ended' }).waitFor();
    expect(await tab.page.evaluate('sessionStorage.length')).toBe(0);
    await tab.logIn(adminToken);
    await tab.page.getByRole('heading', { name: 'Audit log' }).waitFor();
    expect(await tab.page.getByLabel('Action').inputValue()).toBe('key.revoked');
    expect(tab.complaints).toEqual([]);
  });

  test('a session that expires loses nothing that was typed', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    const expire = async () => {
      const { db, close } = await service.database.open();
      await db.execute(sql`update operator_sessions set expires_at = now()`);
      await close();
    };
    const again = page.getByRole('dialog', { name: 'Log in again' });
    await tab.logIn(adminToken);
    await tab.show('#/new-key');
    await page.getByLabel(/^Name/).fill('typed before');
    await page.getByLabel('Plan').selectOption('enterprise');
    await page.getByLabel('Requests a minute').fill('50');
    await page.getByLabel('Requests a day').fill('5000');
    await expire();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await again.waitFor();
    await page.keyboard.press('Escape');
    // The data of the page is out of sight.
    expect(await page.getByLabel(/^Name/).isVisible()).toBe(false);
    await tab.logIn(adminToken);
    await page.getByText('Your session had ended, so nothing was done.').waitFor();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('heading', { name: 'typed before' }).waitFor();
    await page.getByText('50 a minute, 5,000 a day').waitFor();

    // The page finds out by itself, below an open dialog.
    await page.getByRole('button', { name: 'Edit name' }).click();
    await page.getByLabel('Reason').fill('a long reason');
    await expire();
    await again.waitFor();
    await again.getByLabel('Your operator token').fill(adminToken);
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Reason').inputValue()).toBe('a long reason');
    await page.getByLabel(/^Account/).fill('C-19');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('a long reason').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  test('a wrong token is refused, and the right one leaves nothing but a session in the tab', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await page.getByLabel('Your operator token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'wrong, expired or revoked' }).waitFor();
    await tab.logIn(adminToken);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate('localStorage.length')).toBe(0);
    const stored = String(await page.evaluate('JSON.stringify({ ...sessionStorage })'));
    expect(stored).not.toContain(adminToken);
    const [session = ''] = /asc_\w{36}/.exec(stored) ?? [];
    expect(page.url()).not.toContain(session);
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    // Another browser has no session.
    await using another = await openConsole(browser, service.server.opsUrl);
    await another.page.getByLabel('Your operator token').waitFor();

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('You have logged out.').waitFor();
    const answer = await call(`${service.server.opsUrl}/admin/v1/keys`, { token: session });
    expect(answer.status).toBe(401);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('only what a person does puts off the end of the session', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await tab.logIn(adminToken);
    await page.getByText('Busiest keys today').waitFor();
    const isActive = async () => {
      const request = await page.waitForRequest(/\/admin\/v1\//);
      return (await request.allHeaders())['x-operator-active'] === 'true';
    };
    await expect.poll(isActive).toBe(false);
    expect([await isActive(), await isActive()]).toEqual([false, false]);
    await page.keyboard.press('Shift');
    expect([await isActive(), await isActive()]).toEqual([true, false]);
    await page.mouse.wheel(0, 10);
    expect([await isActive(), await isActive()]).toEqual([true, false]);
    expect(tab.complaints).toEqual([]);
  });

  test('a hidden tab asks nothing, and asks at once when it is looked at', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await tab.logIn(adminToken);
    await page.getByText('Busiest keys today').waitFor();
    const setVisibility = (state: string) =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await setVisibility('hidden');
    // Whatever is on its way arrives, and then nothing more: its timers would be due by then.
    await page.clock.install();
    let asked = 0;
    page.on('request', () => {
      asked += 1;
    });
    await page.clock.runFor(60_000);
    expect(asked).toBe(0);
    await setVisibility('visible');
    await expect.poll(() => asked).toBeGreaterThan(0);
  });
});

describe('for everybody', () => {
  const account = 'C-18';
  const lists = ['overview', 'keys', 'new-key', 'accounts', 'audit', 'deprecation', 'operators'];
  const links = [...lists, `account/${account}`];
  let keyId: string;

  const service = useService('embedded', { env });
  beforeAll(async () => {
    const admin = adminOf(service.server);
    const { key, token } = await admin.create('{"name":"acme","plan":"pro"}');
    keyId = key.id;
    for (let n = 0; n < 20; n++) await service.call(n % 3 === 0 ? '/pets/1' : '/pets', { token });
    // An entry of the audit log is widest with two times.
    for (const year of [2031, 2032]) {
      const json = `{"expiresAt":"${year}-12-23T22:59:59Z"}`;
      await admin.call(`/keys/${key.id}`, { method: 'PATCH', json });
    }
    // An account that has used up its day.
    const quota = { perMinute: 10, perDay: 2 };
    const json = JSON.stringify({ plan: 'enterprise', quota });
    await admin.call(`/accounts/${account}`, { method: 'PUT', json });
    const shared = await admin.create(JSON.stringify({ name: 'shared', account, plan: 'pro' }));
    for (let n = 0; n < 3; n++) await service.call('/pets', { token: shared.token });
    await createOperator(admin, 'viewer');
  });

  const screens = [1440, 1024, 768, 360].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  );

  test.each(screens)(
    'no page has a fault at $width px, $colorScheme',
    async ({ width, colorScheme }) => {
      await using tab = await openConsole(browser, service.server.opsUrl, {
        viewport: { width, height: 800 },
        colorScheme,
        reducedMotion: 'reduce',
      });
      expect(await violationsOf(tab.page)).toEqual([]);
      await tab.logIn(adminToken);
      for (const link of [...links, `key/${keyId}`, 'nowhere']) {
        await tab.show(`#/${link}`);
        await expect.poll(() => tab.page.getByText('Loading').count()).toBe(0);
        await expect.poll(() => tab.page.locator('[role=status].state').count()).toBe(0);
        expect(await violationsOf(tab.page), link).toEqual([]);
        expect(await overflowOf(tab.page), link).toBe(0);
        const name = `${width}-${colorScheme}-${link.replace(/\/.*/, '')}.png`;
        await tab.page.screenshot({ path: pictures + name, fullPage: true });
      }
      await tab.show(`#/key/${keyId}`);
      for (const name of ['Edit name', 'Change plan', 'Rotate…', 'Revoke…']) {
        await tab.page.getByRole('button', { name }).click();
        await tab.page.getByRole('dialog').waitFor();
        expect(await violationsOf(tab.page), name).toEqual([]);
        await tab.page.keyboard.press('Escape');
        await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      expect(tab.complaints).toEqual([]);
    },
  );

  test('the keyboard alone is enough, and always shows where it is', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    const { keyboard } = page;
    const focused = () =>
      page.evaluate(`(() => {
        const { activeElement: element } = document;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return {
          tag: element.tagName,
          text: (element.labels?.[0] ?? element).textContent.trim().replace(/\\s+/g, ' '),
          isMarked: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
        };
      })()`) as Promise<{ tag: string; text: string; isMarked: boolean }>;
    /** Presses Tab until something is reached. Whatever is passed must show that it has the focus. */
    async function reach(text: string): Promise<void> {
      for (let n = 0; n < 60; n++) {
        await keyboard.press('Tab');
        const { tag, text: reached, isMarked } = await focused();
        // Behind the last element, and in front of the first.
        if (tag === 'BODY') continue;
        expect(isMarked, reached).toBe(true);
        if (reached.startsWith(text)) return;
      }
      throw new Error(`The keyboard does not reach ${text}.`);
    }

    // The field has the focus.
    await page.locator('input[name=token]:focus').waitFor();
    await keyboard.type(adminToken);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await reach('Keys');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    // The list comes after the heading, and the keyboard is faster.
    await page.getByRole('link', { name: 'acme' }).waitFor();
    await reach('acme');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'acme' }).waitFor();
    await reach('Change plan');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Back where it was. Until then the body has the focus, and its text contains that of every button.
    await expect
      .poll(focused)
      .toMatchObject({ tag: 'BUTTON', text: expect.stringContaining('Change plan') });
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('dialog').getByLabel('Plan').press('b');
    await reach('Change');
    await keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'The plan is changed.' }).waitFor();
    await page.getByText('1,000 a minute, 100,000 a day').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  test.each([1440, 390])(
    'a screen reader hears where it is, and what everything is, at %d px',
    async (width) => {
      await using tab = await openConsole(browser, service.server.opsUrl, {
        viewport: { width, height: 800 },
      });
      await tab.logIn(adminToken);
      for (const link of [...links, `key/${keyId}`]) {
        await tab.show(`#/${link}`);
        await expect.poll(() => tab.page.getByText('Loading').count()).toBe(0);
        const heard = await heardOn(tab.page);
        const named = (...roles: string[]) => heard.filter(({ role }) => roles.includes(role));
        expect(named('banner', 'main'), link).toHaveLength(2);
        expect(named('navigation')[0], link).toMatchObject({ name: 'Pages' });
        // What happens is read out only in regions that are there before.
        expect(named('status').length, link).toBeGreaterThanOrEqual(2);
        const levels = named('heading').map(({ level }) => level);
        expect(
          levels.filter((level) => level === 1),
          link,
        ).toHaveLength(1);
        expect(
          levels.every((level, n) => level <= (levels[n - 1] ?? 0) + 1),
          `${link} ${levels}`,
        ).toBe(true);
        const parts = ['button', 'link', 'textbox', 'searchbox', 'combobox', 'radio', 'table'];
        const nameless = named(...parts, 'image', 'figure', 'region').filter(
          ({ name }) => name === '',
        );
        expect(nameless, link).toEqual([]);
        const tables = await tab.page.getByRole('table').count();
        expect(named('table'), link).toHaveLength(tables);
        expect(named('columnheader').length, link).toBeGreaterThanOrEqual(tables);
        // A canvas says nothing; its figure has a table.
        expect(named('Canvas'), link).toEqual([]);
        for (const { name } of named('figure')) {
          await tab.page.getByText(`${name}: as a table`).click();
          await tab.page.getByRole('table', { name }).waitFor();
        }
      }
    },
  );

  test('times are in the zone of the reader, with UTC next to them', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl, {
      timezoneId: 'Pacific/Auckland',
      locale: 'de-DE',
    });
    await tab.logIn(adminToken);
    await tab.show(`#/key/${keyId}`);
    const created = tab.page.locator('dt', { hasText: 'Created' }).locator('+ dd time');
    await created.waitFor();
    const instant = new Date((await created.getAttribute('datetime')) ?? '');
    const text = await created.textContent();
    const local = {
      dateStyle: 'medium',
      timeStyle: 'medium',
      timeZone: 'Pacific/Auckland',
    } as const;
    expect(text).toContain(new Intl.DateTimeFormat('en-GB', local).format(instant));
    expect(text).toMatch(/UTC/);
    await tab.page.getByText('10,000').first().waitFor();
  });
});
