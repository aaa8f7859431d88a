import { openTcpProxy } from '@animal-store/testkit';
import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { adminToken } from '../support/admin.ts';
import type { ConsoleTab } from '../support/console-browser.ts';
import { openConsole } from '../support/console-browser.ts';
import { call } from '../support/test-service.ts';
import { useConsole } from '../support/use-console.ts';

const { service, admin, browser, open, createOperator } = useConsole();

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const login = (page: Page) => page.getByLabel('Your operator token');
const sessionOf = async (page: Page) =>
  String(await page.evaluate(`sessionStorage.getItem('animal-store-session')`));
const isAdmitted = async (token: string) =>
  (await call(`${service.server.opsUrl}/admin/v1/keys`, { token })).status === 200;

/** Opens another tab of the same browser by hand. */
async function openBeside({ page }: ConsoleTab, hash = ''): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(`${service.server.opsUrl}/console${hash}`);
  return other;
}

/** Ends all sessions. */
async function expire(): Promise<void> {
  const { db, close } = await service.database.open();
  await db.execute(sql`update operator_sessions set expires_at = now()`);
  await close();
}

test('a token is exchanged for a session of this tab and those beside it, which is on no disk', async () => {
  await using tab = await open({ token: null });
  const { page } = tab;
  await login(page).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'wrong, expired or revoked' }).waitFor();
  await tab.logIn(adminToken);
  const { key } = await admin.create('{"name":"in a new tab","plan":"free"}');
  await tab.show('#/keys');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'in a new tab' }).click({ modifiers: ['ControlOrMeta'] });
  const other = await opened;
  await heading(other, 'in a new tab').waitFor();
  expect(other.url()).toContain(`#/key/${key.id}`);
  const stored = await sessionOf(other);
  expect(stored).toBe(await sessionOf(page));
  expect(stored).not.toContain(adminToken);
  const { token } = JSON.parse(stored) as { token: string };
  expect(other.url()).not.toContain(token);
  expect(await page.context().cookies()).toEqual([]);
  expect(await other.evaluate('localStorage.length')).toBe(0);
  expect(await other.evaluate('indexedDB.databases()')).toEqual([]);
  await other.reload();
  await heading(other, 'in a new tab').waitFor();
  // The second tab hands it on, too, but not to another browser.
  await page.close();
  const third = await openBeside({ ...tab, page: other }, '#/audit');
  await heading(third, 'Audit log').waitFor();
  await using elsewhere = await open({ token: null });
  await login(elsewhere.page).waitFor();
});

test('logging out logs out all tabs, also one with a session of its own', async () => {
  await using tab = await open({ token: null });
  const waiting = await openBeside(tab);
  await login(waiting).waitFor();
  await tab.logIn(adminToken);
  // A tab that asked for a token goes on when somebody logs in elsewhere.
  await heading(waiting, 'Overview').waitFor();
  const { token } = (await admin.call('/sessions', { method: 'POST' })).body as { token: string };
  const own = await openBeside(tab);
  await heading(own, 'Overview').waitFor();
  await own.evaluate(`{
    const issued = JSON.parse(sessionStorage.getItem('animal-store-session'));
    sessionStorage.setItem('animal-store-session', JSON.stringify({ ...issued, token: '${token}' }));
  }`);
  await own.reload();
  await heading(own, 'Overview').waitFor();
  const shared = (JSON.parse(await sessionOf(waiting)) as { token: string }).token;

  await tab.press('Log out');
  await tab.page.getByText('You have logged out.').waitFor();
  for (const page of [waiting, own]) {
    await page.getByText('You have logged out in another tab.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  }
  await expect.poll(() => isAdmitted(shared)).toBe(false);
  await expect.poll(() => isAdmitted(token)).toBe(false);
  await login(await openBeside(tab)).waitFor();
});

test('who logs in again, in this tab or another, loses nothing that was typed', async () => {
  await using tab = await open();
  const { page } = tab;
  const again = page.getByRole('dialog', { name: 'Log in again' });
  await tab.show('#/new-key');
  await page.getByLabel(/^Name/).fill('typed before');
  await expire();
  await tab.press('Create the key');
  await again.waitFor();
  await page.keyboard.press('Escape');
  // The data of the page is out of sight.
  expect(await page.getByLabel(/^Name/).isVisible()).toBe(false);
  await tab.logIn(adminToken);
  await page.getByText('Your session had ended, so nothing was done.').waitFor();

  // That tab asks, and so finds out; this one learns it when it needs a session.
  const other = await openBeside(tab);
  await heading(other, 'Overview').waitFor();
  await expire();
  await other.getByRole('dialog', { name: 'Log in again' }).waitFor();
  await login(other).fill(adminToken);
  await other.keyboard.press('Enter');
  await heading(other, 'Overview').waitFor();
  await tab.press('Create the key');
  await page.getByText('Your session had ended, so nothing was done.').waitFor();
  await tab.press('Create the key');
  await tab.takeToken();
  await heading(page, 'typed before').waitFor();
  expect(await sessionOf(page)).toBe(await sessionOf(other));
  await other.close();

  // The page finds out by itself, below an open dialog.
  await page.getByRole('button', { name: 'Edit name' }).click();
  await page.getByLabel('Reason').fill('a long reason');
  await expire();
  await again.getByLabel('Your operator token').fill(adminToken);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  await page.getByLabel(/^Account/).fill('C-19');
  await tab.press('Save');
  await page.getByText('a long reason').filter({ visible: true }).first().waitFor();
});

test('who is revoked is asked for another token, and is back on the same page', async () => {
  const { operator, token } = await createOperator('operator');
  await using tab = await open({ token });
  const { page } = tab;
  await tab.show('#/keys?plan=free');
  await admin.call(`/operators/${operator.id}/revoke`, { method: 'POST' });
  await tab.notice('Your session has ended');
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await tab.logIn(adminToken);
  await heading(page, 'Keys').waitFor();
  expect(await page.getByLabel('Plan').inputValue()).toBe('free');
});

test('a new token stays until somebody confirms it, whatever is pressed and wherever the page goes', async () => {
  await using tab = await open();
  const { page } = tab;
  const create = async (name: string) => {
    await tab.press('New operator…');
    await page.getByRole('dialog').getByLabel(/^Name/).fill(name);
    await page.getByRole('dialog').getByLabel('Role').selectOption('owner');
    await tab.press('Create the operator');
  };
  const shown = () => page.getByLabel('Token', { exact: true }).inputValue();
  await tab.show('#/keys');
  await tab.show('#/operators');
  await create('Ann');
  const first = await shown();
  for (const key of ['Escape', 'Escape', 'Escape', 'Escape', 'Enter', 'Backspace', 'Escape']) {
    await page.keyboard.press(key);
  }
  await page.goBack();
  await page.getByRole('heading', { name: 'Keys', level: 1, includeHidden: true }).waitFor();
  expect(await shown()).toBe(first);
  await tab.takeToken();
  await tab.show('#/operators');
  await create('Bob');
  const second = await tab.takeToken();
  expect(second).not.toBe(first);
  const kept = await page.evaluate(`document.documentElement.outerHTML + location.href +
    JSON.stringify({ ...sessionStorage, ...localStorage, state: history.state })`);
  for (const token of [first, second]) expect(kept).not.toContain(token);

  // Who replaces the own token sees the new one, although the session ends.
  await using bob = await open({ token: second });
  await bob.show('#/operators');
  await bob.page.getByRole('button', { name: 'Rotate… Bob' }).click();
  await bob.page.getByLabel('The present tokens stay valid').selectOption('0');
  await bob.press('Create a new token');
  await expect.poll(() => bob.page.evaluate('sessionStorage.length')).toBe(0);
  const renewed = await bob.takeToken();
  expect([await isAdmitted(second), await isAdmitted(renewed)]).toEqual([false, true]);
  await page.getByRole('button', { name: 'Revoke… Bob' }).click();
  await tab.press('Revoke the operator');
  await tab.notice('The operator is revoked.');
  expect(await isAdmitted(renewed)).toBe(false);
  await page.getByRole('button', { name: 'Revoke… Ann' }).click();
  await page.getByText('This is the last owner').waitFor();
});

test('a page of another origin hears nothing, cannot ask, and cannot hold the console in a frame', async () => {
  await using tab = await open({ expected: /foreign|[Ff]ram/ });
  const hostile = await tab.page.context().newPage();
  // The public listener is the same host, and another port: cookies would go there.
  await hostile.goto(`${service.server.origin}/docs`);
  const asking = `new Promise((resolve) => {
    const channel = new BroadcastChannel('animal-store-session');
    channel.onmessage = ({ data }) => resolve(data.kind);
    channel.postMessage({ kind: 'wanted', by: 'a hostile page' });
    channel.postMessage({ kind: 'logged out' });
    const echo = new BroadcastChannel('echo');
    echo.onmessage = () => resolve('nothing');
    new BroadcastChannel('echo').postMessage('after what was asked');
  })`;
  expect(await hostile.evaluate(asking)).toBe('nothing');
  // A tab of the console that opens after it is told, and none was logged out.
  await heading(await openBeside(tab), 'Overview').waitFor();
  await heading(tab.page, 'Overview').waitFor();
  const frame = `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.src = '${service.server.opsUrl}/console';
    frame.onload = () => resolve(frame.contentDocument === null);
    document.body.append(frame);
  })`;
  expect(await hostile.evaluate(frame)).toBe(true);
  const framed = hostile.frames().filter((one) => one !== hostile.mainFrame());
  for (const one of framed) expect(one.url()).not.toContain('/console');
});

test('only a person puts off the end of a session, and a hidden tab asks nothing', async () => {
  await using tab = await open();
  const { page } = tab;
  await page.getByText('Busiest keys today').waitFor();
  await page.clock.install();
  /** Whether the next request says so. By the clock of the page, so that nobody waits for it. */
  const isActive = async () => {
    let isAsked = false;
    const asked = page.waitForRequest(/\/admin\/v1\//);
    void asked.then(() => {
      isAsked = true;
    });
    while (!isAsked) await page.clock.runFor(1_000);
    return (await (await asked).allHeaders())['x-operator-active'] === 'true';
  };
  await expect.poll(isActive).toBe(false);
  for (const act of [() => page.keyboard.press('Shift'), () => page.mouse.wheel(0, 10)]) {
    expect(await isActive()).toBe(false);
    await act();
    // Once, however long the event is on its way.
    await expect.poll(isActive).toBe(true);
    expect(await isActive()).toBe(false);
  }
  const setVisibility = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await setVisibility('hidden');
  // Whatever is on its way arrives, and then nothing more: its timers would be due by then.
  const before = tab.requests.length;
  await page.clock.runFor(60_000);
  expect(tab.requests).toHaveLength(before);
  await setVisibility('visible');
  await expect.poll(() => tab.requests.length).toBeGreaterThan(before);
});

test('the service going away shows, what was there stays, and its return shows as well', async () => {
  const { hostname, port } = new URL(service.server.opsUrl);
  await using proxy = await openTcpProxy({ target: { host: hostname, port: Number(port) } });
  const url = new URL(proxy.via(service.server.opsUrl)).origin;
  await using tab = await openConsole(browser, url, { token: adminToken, expected: /net::ERR/ });
  const { page } = tab;
  await page.getByText('Busiest keys today').waitFor();
  await proxy.cut();
  const bar = page.getByRole('status').filter({ hasText: 'The service has not answered since' });
  await bar.waitFor();
  await page.getByText('Busiest keys today').waitFor();
  await proxy.resume();
  await bar.waitFor({ state: 'detached' });
});
