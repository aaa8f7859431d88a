import { hangMs } from '@animal-store/testkit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** The console in a tab of its own. */
export type ConsoleTab = AsyncDisposable & {
  readonly page: Page;
  /** Requests that left the origin, errors, warnings, and breaches of the page's policy. */
  readonly complaints: readonly string[];
  /** Goes to a page of the console, as a link does. */
  show(link: string): Promise<void>;
  /** Logs in on the page that asks for a token. */
  logIn(token: string): Promise<void>;
};

/** What a browser says when a request was refused, which tests do on purpose. */
const refusal = /Failed to load resource: the server responded with a status of 4\d\d/;

/** Opens the console in a browser profile of its own. */
export async function openConsole(
  browser: Pick<Browser, 'newContext'>,
  opsUrl: string,
  options: BrowserContextOptions & { isOutageExpected?: boolean } = {},
): Promise<ConsoleTab> {
  const { isOutageExpected = false, ...contextOptions } = options;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...contextOptions,
  });
  context.setDefaultTimeout(hangMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== opsUrl) complaints.push(`foreign: ${request.url()}`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('console', (message) => {
    const text = message.text();
    const isExpected = refusal.test(text) || (isOutageExpected && text.includes('net::ERR'));
    if (!isExpected) complaints.push(`${message.type()}: ${text}`);
  });
  await page.addInitScript(`addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    console.error('policy: ' + violatedDirective + ' ' + blockedURI);
  })`);
  await page.goto(`${opsUrl}/console`);
  // It asks other tabs for their session first, of which this browser profile has none.
  await page.getByLabel('Your operator token').waitFor();
  return {
    page,
    complaints,
    async show(link) {
      await page.evaluate(`location.hash = ${JSON.stringify(link)}`);
      await page.locator('main h1').first().waitFor();
    },
    async logIn(token) {
      await page.getByLabel('Your operator token').fill(token);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
