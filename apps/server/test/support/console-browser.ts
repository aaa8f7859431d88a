import { until } from '@animal-store/testkit';
import type { Browser, Locator } from 'playwright-core';
import { openTab, type TabOptions } from './browser.ts';

/** The console in a tab of its own. */
export type ConsoleTab = Awaited<ReturnType<typeof openConsole>>;

/** What a browser says when a request was refused, which tests do on purpose. */
const refusal = /Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * Opens the console in a browser profile of its own.
 *
 * @param options.token whose token logs in; `null` for nobody's.
 */
export async function openConsole(
  browser: Pick<Browser, 'newContext'>,
  opsUrl: string,
  { token: own, expected = refusal, ...options }: TabOptions & { readonly token: string | null },
) {
  const either = new RegExp(`${refusal.source}|${expected.source}`);
  const tab = await openTab(browser, `${opsUrl}/console`, { expected: either, ...options });
  const { page } = tab;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const opened = {
    ...tab,
    /** Goes to a page of the console, as a link does, and waits for what it loads. */
    async show(link: string) {
      // Rendered at the second frame at the latest.
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
    /** Logs in on the page that asks for a token. */
    async logIn(token: string) {
      await page.getByLabel('Your operator token').fill(token);
      await button('Log in').click();
      await page.getByRole('banner').waitFor();
    },
    press: (name: string) => button(name).click(),
    /** A field, whose label begins so. */
    field: (label: string) => page.getByLabel(new RegExp(`^\\s*${label}`)),
    /** Waits for a page, by its title. */
    heading: (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor(),
    rows: (table: string) => page.getByRole('region', { name: table }).locator('tbody tr'),
    /** Waits until a notice says so. */
    notice: (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor(),
    /** Waits until the page shows something new, for which it asks at once, instead of every three seconds. */
    async news(shown: Locator) {
      await until(async () => {
        await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
        return await shown.first().isVisible();
      });
    },
    /** Reads a token out of the dialog that shows it, and closes it. */
    async takeToken() {
      const token = await page.getByLabel('Token', { exact: true }).inputValue();
      await button('I have saved it').click();
      await button('I have saved it').waitFor({ state: 'detached' });
      return token;
    },
    /** Presses what saves a file. */
    async save(name: string | RegExp) {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      return await saving;
    },
    /** The query of the address. */
    query: (): Record<string, string> =>
      Object.fromEntries(new URLSearchParams(page.url().split('?')[1])),
  };
  // It asks other tabs for their session first, of which this browser profile has none.
  await page.getByLabel('Your operator token').waitFor();
  if (own !== null) await opened.logIn(own);
  return opened;
}
