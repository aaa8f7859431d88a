import { openTcpProxy } from '@animal-store/testkit';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { adminToken } from '../../support/admin.ts';
import { type ConsoleTab, openConsole } from '../../support/console-browser.ts';
import { call } from '../../support/test-service.ts';
import type { Store } from '../../support/use-console.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const login = (page: Page) => page.getByLabel('Your operator token');
const sessionOf = async (page: Page) =>
  String(await page.evaluate(`sessionStorage.getItem('animal-store-session')`));

/** Opens another tab of the same browser, without a link from the first tab, as a user does. */
async function openSecondTab({ page }: ConsoleTab): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(page.url().replace(/#.*/, ''));
  return other;
}

/**
 * Logs in with a token, which creates a session for all tabs. The browser must not store the
 * session on the disk. When the operator must log in again, the input of open forms is kept.
 */
export async function signIn({ service, admin, open, expireSessions }: Store): Promise<void> {
  await admin.create('{"name":"in a new tab","plan":"free"}');
  await using tab = await open({ token: null });
  const { page } = tab;
  const again = page.getByRole('dialog', { name: 'Log in again' });
  const waiting = await openSecondTab(tab);
  await login(waiting).waitFor();
  // Regression: the page said that the service does not respond.
  await login(page).fill('ast_1a2b3c4d…');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'Paste the complete token' }).waitFor();
  await login(page).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'wrong, expired or revoked' }).waitFor();
  await tab.logIn(adminToken);
  // A tab that shows the login form continues without a login when somebody logs in in another tab.
  await heading(waiting, 'Overview').waitFor();
  await tab.show('#/keys');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'in a new tab' }).click({ modifiers: ['ControlOrMeta'] });
  const other = await opened;
  await heading(other, 'in a new tab').waitFor();
  expect(await page.context().storageState({ indexedDB: true })).toEqual({
    cookies: [],
    origins: [],
  });
  await other.reload();
  await heading(other, 'in a new tab').waitFor();
  // A tab of another browser profile does not get the session.
  await using _elsewhere = await open({ token: null });

  await tab.show('#/new-key');
  await tab.field('Name').fill('typed before');
  await expireSessions();
  await tab.press('Create key');
  await again.waitFor();
  await page.keyboard.press('Escape');
  // While the login form is shown, the data of the page is hidden.
  expect(await tab.field('Name').isVisible()).toBe(false);
  // The other tabs must first learn that the session has ended. Otherwise they would pass the
  // session on to a new tab.
  for (const one of [waiting, other]) {
    await one.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await one.getByRole('dialog', { name: 'Log in again' }).waitFor();
  }
  // When the operator has logged in in another tab, this tab continues without a login.
  const beside = await openSecondTab(tab);
  await login(beside).fill(adminToken);
  await beside.keyboard.press('Enter');
  await page.getByText('Your session had ended, so nothing was changed.').waitFor();
  await tab.press('Create key');
  await tab.takeToken();
  await tab.heading('typed before');
  // The page notices by itself that the session has ended, even while a dialog is open.
  await page.getByRole('button', { name: 'Edit name' }).click();
  await page.getByLabel('Reason').fill('a long reason');
  await expireSessions();
  await again.getByLabel('Your operator token').fill(adminToken);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  await tab.field('Account').fill('C-19');
  await tab.press('Save');
  await page.getByText('a long reason').filter({ visible: true }).first().waitFor();

  const stored = await sessionOf(page);
  for (const one of [waiting, other, beside]) await expect.poll(() => sessionOf(one)).toBe(stored);
  expect(stored).not.toContain(adminToken);
  const { token: shared } = JSON.parse(stored) as { token: string };
  // A tab may have a separate session, for example when a link on another site has opened the tab.
  const own = await openSecondTab(tab);
  await heading(own, 'Overview').waitFor();
  const { token } = (await admin.call('/sessions', { method: 'POST' })).body as { token: string };
  await own.evaluate(
    `sessionStorage.setItem('animal-store-session', '${stored.replace(shared, token)}')`,
  );
  await own.reload();
  await heading(own, 'Overview').waitFor();
  // A logout ends the sessions of all tabs, including the separate session.
  await tab.press('Log out');
  await page.getByText('You have logged out.').waitFor();
  for (const one of [waiting, other, beside, own]) {
    await one.getByText('You have logged out in another tab.').waitFor();
    expect(await one.evaluate('sessionStorage.length')).toBe(0);
  }
  for (const ended of [shared, token]) {
    const ask = () => call(`${service.server.opsUrl}/admin/v1/keys`, { token: ended });
    await expect.poll(async () => (await ask()).status).toBe(401);
  }
  await login(await openSecondTab(tab)).waitFor();
}

/**
 * Checks that the first page is small, that pages send few requests, and that hidden pages send
 * none. The journey also checks that an outage of the service is shown and ends.
 */
export async function keepConsoleOpen({ service, admin, browser }: Store): Promise<void> {
  const { key } = await admin.create('{"name":"polled","account":"C-40","plan":"pro"}');
  await using proxy = await openTcpProxy({ target: service.server.opsUrl });
  const url = new URL(proxy.url).origin;
  await using tab = await openConsole(browser, url, { token: adminToken, expected: /net::ERR/ });
  const { page } = tab;
  await page.getByText('Busiest keys today').waitFor();
  expect(tab.requests.length).toBeLessThanOrEqual(10);
  const total = await page.evaluate<number>(
    'performance.getEntries().reduce((sum, { transferSize }) => sum + (transferSize ?? 0), 0)',
  );
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThanOrEqual(120_000);

  await page.clock.install();
  // The page is reloaded, because the fake clock cannot stop timers that began before its
  // installation.
  await page.reload();
  await page.getByText('Busiest keys today').waitFor();
  for (const path of [
    ...[`keys/${key.id}`, 'accounts/C-40', 'keys', 'accounts', 'audit', 'operators'],
    ...['deprecation', 'overview'],
  ]) {
    await tab.show(`#/${path.replace(/s\//, '/')}`);
    const began = await page.evaluate<number>('Date.now()');
    const before = tab.requests.length;
    for (let second = 0; second < 10; second++) {
      await page.clock.runFor(1_000);
      // This call takes about as long as the page's own request. When it has ended, the page has
      // received its response, too, and sends its next request one polling interval from now.
      await admin.call(`/${path}`);
    }
    const paths = tab.requests.slice(before).map((asked) => new URL(asked).pathname);
    expect(paths.length, path).toBeGreaterThan(0);
    // A page may send at most 13 requests in a minute of its own clock, which continues during the
    // test.
    const passed = (await page.evaluate<number>('Date.now()')) - began;
    expect(paths.length, path).toBeLessThanOrEqual(1 + (13 * passed) / 60_000);
    expect(paths.filter((one) => !one.startsWith(`/admin/v1/${path}`))).toEqual([]);
  }

  /**
   * For each request, whether it reports that the operator is active. Only such requests extend the
   * session.
   */
  const active: boolean[] = [];
  page.on('request', (request) => active.push('x-operator-active' in request.headers()));
  const reported = async () => {
    await page.clock.runFor(1_000);
    return active.join();
  };
  await expect.poll(reported).toMatch(/false$/);
  active.length = 0;
  await page.mouse.wheel(0, 10);
  // Turning the mouse wheel is one action of the operator. The page may report an action only in
  // its next request. Otherwise, later requests would extend the session although the operator is
  // inactive.
  await expect.poll(reported).toMatch(/^(false,)*true,false/);
  expect(active.filter(Boolean)).toHaveLength(1);

  const setVisibility = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await setVisibility('hidden');
  // A hidden page finishes its requests in flight. After that, it sends no further request,
  // although its polling timers have expired.
  const before = tab.requests.length;
  await page.clock.runFor(60_000);
  expect(tab.requests).toHaveLength(before);
  await setVisibility('visible');
  await expect.poll(() => tab.requests.length).toBeGreaterThan(before);

  await proxy.cut();
  const bar = page.getByRole('status').filter({ hasText: 'The service has not responded since' });
  const isOut = async () => {
    await page.clock.runFor(1_000);
    return await bar.isVisible();
  };
  await expect.poll(isOut).toBe(true);
  await page.getByText('Busiest keys today').waitFor();
  await proxy.resume();
  await expect.poll(isOut).toBe(false);
}
