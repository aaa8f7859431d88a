import { openTcpProxy } from '@animal-store/testkit';
import { expect } from 'vitest';
import { adminToken } from '../../support/admin.ts';
import { openConsole } from '../../support/console-browser.ts';
import type { Store } from '../../support/use-console.ts';
import { heading, login, openBeside, sessionOf } from './sign-in.ts';

/** Who signs in again, in this tab or another, loses nothing that was typed. */
export async function signInAgain({ open, expireSessions }: Store): Promise<void> {
  await using tab = await open();
  const { page } = tab;
  const again = page.getByRole('dialog', { name: 'Log in again' });
  await tab.show('#/new-key');
  await tab.field('Name').fill('typed before');
  await expireSessions();
  await tab.press('Create the key');
  await again.waitFor();
  await page.keyboard.press('Escape');
  // The data of the page is out of sight.
  expect(await tab.field('Name').isVisible()).toBe(false);
  await tab.logIn(adminToken);
  await page.getByText('Your session had ended, so nothing was done.').waitFor();

  // That tab asks, and so finds out; this one learns it when it needs a session.
  const other = await openBeside(tab);
  await heading(other, 'Overview').waitFor();
  await expireSessions();
  await other.getByRole('dialog', { name: 'Log in again' }).waitFor();
  await login(other).fill(adminToken);
  await other.keyboard.press('Enter');
  await heading(other, 'Overview').waitFor();
  await tab.press('Create the key');
  await page.getByText('Your session had ended, so nothing was done.').waitFor();
  await tab.press('Create the key');
  await tab.takeToken();
  await tab.heading('typed before');
  expect(await sessionOf(page)).toBe(await sessionOf(other));
  await other.close();

  // The page finds out by itself, below an open dialog.
  await page.getByRole('button', { name: 'Edit name' }).click();
  await page.getByLabel('Reason').fill('a long reason');
  await expireSessions();
  await again.getByLabel('Your operator token').fill(adminToken);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  await tab.field('Account').fill('C-19');
  await tab.press('Save');
  await page.getByText('a long reason').filter({ visible: true }).first().waitFor();
}

/** Only a person puts off the end of a session, a hidden tab asks nothing, and an outage shows and ends. */
export async function leaveOpen({ service, browser }: Store): Promise<void> {
  const { hostname, port } = new URL(service.server.opsUrl);
  await using proxy = await openTcpProxy({ target: { host: hostname, port: Number(port) } });
  const url = new URL(proxy.via(service.server.opsUrl)).origin;
  await using tab = await openConsole(browser, url, { token: adminToken, expected: /net::ERR/ });
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

  await proxy.cut();
  const bar = page.getByRole('status').filter({ hasText: 'The service has not answered since' });
  const isOut = async () => {
    await page.clock.runFor(1_000);
    return await bar.isVisible();
  };
  await expect.poll(isOut).toBe(true);
  await page.getByText('Busiest keys today').waitFor();
  await proxy.resume();
  await expect.poll(isOut).toBe(false);
}
