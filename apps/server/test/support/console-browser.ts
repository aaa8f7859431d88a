import { until } from '@animal-store/testkit';
import type { Browser, Download, Locator, Page } from 'playwright-core';
import { openTab, type Tab, type TabOptions } from './browser.ts';

/** The console in a tab of its own. */
export type ConsoleTab = Tab & {
  /** Goes to a page of the console, as a link does, and waits for what it loads. */
  show(link: string): Promise<void>;
  /** Logs in on the page that asks for a token. */
  logIn(token: string): Promise<void>;
  /** Presses a button, by its whole name. */
  press(name: string): Promise<void>;
  /** A field, whose label begins so. */
  field(label: string): Locator;
  /** Waits for a page, by its title. */
  heading(name: string): Promise<void>;
  /** The rows of a table. */
  rows(table: string): Locator;
  /** Waits until a notice says so. */
  notice(text: string): Promise<void>;
  /** Reads a token out of the dialog that shows it, and closes it. */
  takeToken(): Promise<string>;
  /** Waits until the page shows something new, for which it asks at once, instead of every three seconds. */
  news(shown: Locator): Promise<void>;
  /** Presses what saves a file. */
  save(name: string | RegExp): Promise<Download>;
  /** The query of the address. */
  query(): Readonly<Record<string, string>>;
};

export type ConsoleOptions = TabOptions & {
  /** Whose token logs in; `null` for nobody's. */
  readonly token: string | null;
};

/** What a browser says when a request was refused, which tests do on purpose. */
const refusal = /Failed to load resource: the server responded with a status of 4\d\d/;

/** Opens the console in a browser profile of its own. */
export async function openConsole(
  browser: Pick<Browser, 'newContext'>,
  opsUrl: string,
  { token: own, expected = refusal, ...options }: ConsoleOptions,
): Promise<ConsoleTab> {
  const either = new RegExp(`${refusal.source}|${expected.source}`);
  const tab = await openTab(browser, `${opsUrl}/console`, { expected: either, ...options });
  const { page } = tab;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const opened: ConsoleTab = {
    ...tab,
    async show(link) {
      // Rendered at the second frame at the latest.
      await page.evaluate(`new Promise((shown) => {
        const paint = () => requestAnimationFrame(() => requestAnimationFrame(shown));
        if (location.hash === ${JSON.stringify(link)}) return paint();
        addEventListener('hashchange', paint, { once: true });
        location.hash = ${JSON.stringify(link)};
      })`);
      await loaded(page);
    },
    async logIn(token) {
      await page.getByLabel('Your operator token').fill(token);
      await button('Log in').click();
      await page.getByRole('banner').waitFor();
    },
    press: (name) => button(name).click(),
    field: (label) => page.getByLabel(new RegExp(`^\\s*${label}`)),
    heading: (name) => page.getByRole('heading', { name, level: 1 }).waitFor(),
    rows: (table) => page.getByRole('region', { name: table }).locator('tbody tr'),
    notice: (text) => page.getByRole('status').filter({ hasText: text }).waitFor(),
    async news(shown) {
      await until(async () => {
        await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
        return await shown.first().isVisible();
      });
    },
    async takeToken() {
      const token = await page.getByLabel('Token', { exact: true }).inputValue();
      await button('I have kept it').click();
      await button('I have kept it').waitFor({ state: 'detached' });
      return token;
    },
    async save(name) {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      return await saving;
    },
    query: () => Object.fromEntries(new URLSearchParams(page.url().split('?')[1])),
  };
  // It asks other tabs for their session first, of which this browser profile has none.
  await page.getByLabel('Your operator token').waitFor();
  if (own !== null) await opened.logIn(own);
  return opened;
}

/** Waits until a page has what it shows. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page
    .getByText(/^Loading /)
    .first()
    .waitFor({ state: 'detached' });
}
