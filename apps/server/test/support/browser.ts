import { chromiumOptions } from '@animal-store/testkit';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Starts a browser that can connect only to this machine. */
export const openBrowser = async (): Promise<Browser> =>
  await chromium.launch(await chromiumOptions());

/**
 * The longest time that a test waits for something on a page, in milliseconds. The timeout only
 * affects tests that would otherwise wait forever.
 */
const patienceMs = 30_000;

export type TabOptions = BrowserContextOptions & {
  /** Matches the errors and warnings of the page that are expected. */
  readonly expected?: RegExp;
};

/**
 * Opens a tab in a new browser profile, which is closed together with the tab. Disposing the tab
 * throws if the page sent requests to other hosts, logged errors or warnings, or violated its
 * Content-Security-Policy.
 */
export async function openTab(
  browser: Pick<Browser, 'newContext'>,
  url: string,
  { expected, ...options }: TabOptions = {},
) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...options,
  });
  context.setDefaultTimeout(patienceMs);
  const requests: string[] = [];
  const complaints: string[] = [];
  const complain = (text: string) => {
    if (expected?.test(text) !== true) complaints.push(text);
  };
  const { origin } = new URL(url);
  context.on('request', (request) => {
    requests.push(request.url());
    const isOwn = /^(blob|data):/.test(request.url()) || new URL(request.url()).origin === origin;
    if (!isOwn) complain(`foreign: ${request.url()}`);
  });
  context.on('weberror', (error) => complain(`uncaught: ${error.error().message}`));
  context.on('dialog', (dialog) => {
    complain(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('console', (message) => complain(`${message.type()}: ${message.text()}`));
  await context.addInitScript(`addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    console.error('policy: ' + violatedDirective + ' ' + blockedURI);
  })`);
  const page = await context.newPage();
  await page.goto(url);
  return {
    page,
    /** All requests that the browser profile has sent. */
    requests,
    async [Symbol.asyncDispose]() {
      await context.close();
      if (complaints.length > 0) throw new Error(complaints.join('\n'));
    },
  };
}

/**
 * Returns the focused element: its tag, its name, and whether the focus is visible on it or on one
 * of its parts.
 */
export const focusOf = (page: Page): Promise<{ tag: string; name: string; isMarked: boolean }> =>
  page.evaluate(`(() => {
    const element = document.activeElement;
    const isMarked = (part) =>
      [getComputedStyle(part), getComputedStyle(part, '::before')].some(
        ({ outlineStyle, outlineWidth, boxShadow }) =>
          (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow.includes('inset'),
      );
    const whole = element.closest('label') ?? element;
    const name = element.ariaLabel ?? (element.labels?.[0] ?? element).textContent;
    return {
      tag: element.tagName,
      name: name.trim().replace(/\\s+/g, ' '),
      isMarked: [whole, ...whole.querySelectorAll('*')].some(isMarked),
    };
  })()`);

/**
 * Presses Tab until an element has the focus. The focus must be visible on every element on the
 * way.
 *
 * @param name the beginning of the element's name; `undefined` to go to the end of the page.
 * @returns the names of the elements that had the focus on the way.
 */
export async function tabTo(page: Page, name?: string, limit = 300): Promise<string[]> {
  const passed: string[] = [];
  while (passed.length < limit) {
    await page.keyboard.press('Tab');
    const focus = await focusOf(page);
    // If no element has the focus, the focus has left the last element of the page and not yet
    // returned to the first one.
    if (focus.tag === 'BODY' || focus.tag === 'HTML') {
      if (name === undefined) return passed;
      passed.push('');
      continue;
    }
    if (!focus.isMarked) throw new Error(`The focus of ${focus.name} is not visible.`);
    passed.push(focus.name);
    if (name !== undefined && focus.name.startsWith(name)) return passed;
  }
  throw new Error(`The keyboard does not reach ${name ?? 'the end of the page'}: ${passed}`);
}

/** Returns the number of pixels by which the page is wider than the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
