import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { adminToken, useAdmin } from '../support/admin.ts';
import { type ConsoleTab, openConsole } from '../support/console-browser.ts';
import { call } from '../support/test-service.ts';
import { useBrowser } from '../support/use-browser.ts';

const { service, admin } = useAdmin('postgres');
const browser = useBrowser();

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const login = (page: Page) => page.getByLabel('Your operator token');

const sessionOf = async (page: Page) =>
  String(await page.evaluate(`sessionStorage.getItem('animal-store-session')`));

/** Opens another tab of the same browser by hand. */
async function openTab(tab: ConsoleTab): Promise<Page> {
  const page = await tab.page.context().newPage();
  await page.goto(`${service.server.opsUrl}/console`);
  return page;
}

async function expire(): Promise<void> {
  const { db, close } = await service.database.open();
  await db.execute(sql`update operator_sessions set expires_at = now()`);
  await close();
}

test('a link that is opened in a new tab is logged in there, and nothing is on the disk', async () => {
  const { key } = await admin.create('{"name":"in a new tab","plan":"free"}');
  await using tab = await openConsole(browser, service.server.opsUrl);
  const { page } = tab;
  await tab.logIn(adminToken);
  await tab.show('#/keys');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'in a new tab' }).click({ modifiers: ['ControlOrMeta'] });
  const other = await opened;
  await heading(other, 'in a new tab').waitFor();
  expect(other.url()).toContain(`#/key/${key.id}`);
  expect(await sessionOf(other)).toBe(await sessionOf(page));
  expect(await page.context().cookies()).toEqual([]);
  expect(await other.evaluate('localStorage.length')).toBe(0);
  expect(await other.evaluate('indexedDB.databases()')).toEqual([]);
  // The second tab hands it on, too.
  await page.close();
  const third = await other.context().newPage();
  await third.goto(`${service.server.opsUrl}/console#/audit`);
  await heading(third, 'Audit log').waitFor();
});

test('logging out logs out all tabs, also one with a session of its own', async () => {
  await using tab = await openConsole(browser, service.server.opsUrl);
  const waiting = await openTab(tab);
  await login(waiting).waitFor();
  await tab.logIn(adminToken);
  // A tab that asked for a token goes on when somebody logs in elsewhere.
  await heading(waiting, 'Overview').waitFor();
  const { token } = (await admin.call('/sessions', { method: 'POST' })).body as { token: string };
  const own = await openTab(tab);
  await heading(own, 'Overview').waitFor();
  await own.evaluate(`{
    const issued = JSON.parse(sessionStorage.getItem('animal-store-session'));
    sessionStorage.setItem('animal-store-session', JSON.stringify({ ...issued, token: '${token}' }));
  }`);
  await own.reload();
  await heading(own, 'Overview').waitFor();

  await tab.page.getByRole('button', { name: 'Log out' }).click();
  await tab.page.getByText('You have logged out.').waitFor();
  for (const page of [waiting, own]) {
    await page.getByText('You have logged out in another tab.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  }
  const status = async () =>
    (await call(`${service.server.opsUrl}/admin/v1/keys`, { token })).status;
  await expect.poll(status).toBe(401);
  const later = await openTab(tab);
  await login(later).waitFor();
});

test('whoever logs in again in one tab has logged in again in all', async () => {
  await using tab = await openConsole(browser, service.server.opsUrl);
  await tab.logIn(adminToken);
  await tab.show('#/new-key');
  await tab.page.getByLabel(/^Name/).fill('typed before');
  const other = await openTab(tab);
  await heading(other, 'Overview').waitFor();
  await expire();
  // This page asks, and so finds out.
  await other.getByRole('dialog', { name: 'Log in again' }).waitFor();
  await login(other).fill(adminToken);
  await other.keyboard.press('Enter');
  await heading(other, 'Overview').waitFor();
  // That page learns it when it needs a session.
  await tab.page.getByLabel('Plan').selectOption('free');
  await tab.page.getByRole('button', { name: 'Create the key' }).click();
  await tab.page.getByText('Your session had ended, so nothing was done.').waitFor();
  await tab.page.getByRole('button', { name: 'Create the key' }).click();
  await tab.page.getByRole('button', { name: 'I have kept it' }).click();
  await heading(tab.page, 'typed before').waitFor();
  expect(await sessionOf(tab.page)).toBe(await sessionOf(other));
});

test('a page of another origin hears nothing, and cannot ask', async () => {
  await using tab = await openConsole(browser, service.server.opsUrl);
  await tab.logIn(adminToken);
  await heading(tab.page, 'Overview').waitFor();
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
  const other = await openTab(tab);
  await heading(other, 'Overview').waitFor();
  await heading(tab.page, 'Overview').waitFor();
  // Nor can it hold the console in a frame, and watch it.
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
