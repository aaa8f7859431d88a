import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { adminToken } from '../../support/admin.ts';
import { violationsOf } from '../../support/axe.ts';
import type { ConsoleTab } from '../../support/console-browser.ts';
import { call } from '../../support/test-service.ts';
import type { Store } from '../../support/use-console.ts';

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
export const login = (page: Page) => page.getByLabel('Your operator token');
export const sessionOf = async (page: Page) =>
  String(await page.evaluate(`sessionStorage.getItem('animal-store-session')`));

/** Opens another tab of the same browser by hand. */
export async function openBeside({ page }: ConsoleTab, hash = ''): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(`${new URL(page.url()).origin}/console${hash}`);
  return other;
}

/** A token becomes a session of a tab and those beside it, which is on no disk and no other page has. */
export async function signIn({ service, admin, open }: Store): Promise<void> {
  const { server } = service;
  const { key } = await admin.create('{"name":"in a new tab","plan":"free"}');
  await using tab = await open({ token: null, expected: /foreign|[Ff]ram/ });
  const { page } = tab;
  expect(await violationsOf(page)).toEqual([]);
  const waiting = await openBeside(tab);
  await login(waiting).waitFor();
  await login(page).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'wrong, expired or revoked' }).waitFor();
  await tab.logIn(adminToken);
  // A tab that asked for a token goes on when somebody logs in elsewhere.
  await heading(waiting, 'Overview').waitFor();
  await tab.show('#/keys');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'in a new tab' }).click({ modifiers: ['ControlOrMeta'] });
  const other = await opened;
  await heading(other, 'in a new tab').waitFor();
  expect(other.url()).toContain(`#/key/${key.id}`);
  const stored = await sessionOf(other);
  expect(stored).toBe(await sessionOf(page));
  expect(stored).not.toContain(adminToken);
  const shared = (JSON.parse(stored) as { token: string }).token;
  expect(other.url()).not.toContain(shared);
  expect(await page.context().cookies()).toEqual([]);
  expect(await other.evaluate('localStorage.length')).toBe(0);
  expect(await other.evaluate('indexedDB.databases()')).toEqual([]);
  await other.reload();
  await heading(other, 'in a new tab').waitFor();
  // Another browser is told nothing.
  await using _elsewhere = await open({ token: null });

  await expectNothingHeard(page, server);
  // A tab of the console that opens after that is told, and none was logged out.
  const own = await openBeside(tab);
  await heading(own, 'Overview').waitFor();
  await heading(page, 'Keys').waitFor();
  const { token } = (await admin.call('/sessions', { method: 'POST' })).body as { token: string };
  await own.evaluate(`{
    const issued = JSON.parse(sessionStorage.getItem('animal-store-session'));
    sessionStorage.setItem('animal-store-session', JSON.stringify({ ...issued, token: '${token}' }));
  }`);
  await own.reload();
  await heading(own, 'Overview').waitFor();

  // Logging out logs out all tabs, also one with a session of its own.
  await tab.press('Log out');
  await page.getByText('You have logged out.').waitFor();
  for (const one of [waiting, other, own]) {
    await one.getByText('You have logged out in another tab.').waitFor();
    expect(await one.evaluate('sessionStorage.length')).toBe(0);
  }
  for (const ended of [shared, token]) {
    const ask = () => call(`${server.opsUrl}/admin/v1/keys`, { token: ended });
    await expect.poll(async () => (await ask()).status).toBe(401);
  }
  await login(await openBeside(tab)).waitFor();
}

/** Expects that a page of another origin cannot ask for a session, nor hold the console in a frame. */
async function expectNothingHeard(
  page: Page,
  { origin, opsUrl }: Store['service']['server'],
): Promise<void> {
  const hostile = await page.context().newPage();
  // The public listener is the same host, and another port: cookies would go there.
  await hostile.goto(`${origin}/docs`);
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
  const frame = `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.src = '${opsUrl}/console';
    frame.onload = () => resolve(frame.contentDocument === null);
    document.body.append(frame);
  })`;
  expect(await hostile.evaluate(frame)).toBe(true);
  const framed = hostile.frames().filter((one) => one !== hostile.mainFrame());
  for (const one of framed) expect(one.url()).not.toContain('/console');
}
