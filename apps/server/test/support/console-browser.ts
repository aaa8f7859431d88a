import { until } from '@animal-store/testkit';
import type { Browser, Locator } from 'playwright-core';
import { openTab, type TabOptions } from './browser.ts';

/** The console in a tab with its own browser profile. */
export type ConsoleTab = Awaited<ReturnType<typeof openConsole>>;

/**
 * Matches the browser's message about a refused request. Tests cause refused requests on purpose.
 */
const refusal = /Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * Opens the console in a new browser profile.
 *
 * @param options.token the token for the login; `null` to stay logged out.
 */
export async function openConsole(
  browser: Pick<Browser, 'newContext'>,
  opsUrl: string,
  { token: own, expected = refusal, ...options }: TabOptions & { readonly token: string | null },
) {
  const expectedMessages = new RegExp(`${refusal.source}|${expected.source}`);
  const tab = await openTab(browser, `${opsUrl}/console`, {
    expected: expectedMessages,
    ...options,
  });
  const { page } = tab;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const opened = {
    ...tab,
    /**
     * Opens a page of the console, as a click on a link does, and waits until its data is loaded.
     */
    async show(link: string) {
      // The page is rendered after two animation frames.
      await page.evaluate(`new Promise((shown) => {
        const paint = () => requestAnimationFrame(() => requestAnimationFrame(shown));
        if (location.hash === ${JSON.stringify(link)}) return paint();
        addEventListener('hashchange', paint, { once: true });
        location.hash = ${JSON.stringify(link)};
      })`);
      await page.locator('main h1').first().waitFor();
      const loading = page.getByText(/^Loading /).first();
      await loading.waitFor({ state: 'detached' });
    },
    /** Enters a token into the login form. */
    async logIn(token: string) {
      await page.getByLabel('Your operator token').fill(token);
      await button('Log in').click();
      await page.getByRole('banner').waitFor();
    },
    press: (name: string) => button(name).click(),
    /** Returns the form field whose label begins with a text. */
    field: (label: string) => page.getByLabel(new RegExp(`^\\s*${label}`)),
    /** Waits for a page with this title. */
    heading: (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor(),
    rows: (table: string) => page.getByRole('region', { name: table }).locator('tbody tr'),
    /** Waits for a notice with this text. */
    notice: (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor(),
    /**
     * Makes the page load new data repeatedly until an element is shown. By itself, a page loads
     * new data only about every five seconds.
     */
    async news(shown: Locator) {
      await until(async () => {
        await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
        return await shown.first().isVisible();
      });
    },
    /** Reads the token from the dialog that shows it, and closes the dialog. */
    async takeToken() {
      const token = await page.getByLabel('Token', { exact: true }).inputValue();
      await button('I have saved the token').click();
      await button('I have saved the token').waitFor({ state: 'detached' });
      return token;
    },
    /** Presses a button that downloads a file, and returns the download. */
    async save(name: string | RegExp) {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      return await saving;
    },
    /** Returns the query parameters in the address of the page. */
    query: (): Record<string, string> =>
      Object.fromEntries(new URLSearchParams(page.url().split('?')[1])),
  };
  // The page first asks other tabs for their session. This browser profile has no other tabs, so
  // the login form follows.
  await page.getByLabel('Your operator token').waitFor();
  if (own !== null) await opened.logIn(own);
  return opened;
}
