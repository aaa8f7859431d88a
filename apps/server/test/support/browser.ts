import { chromiumOptions } from '@animal-store/testkit';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Starts a browser that can reach only this machine. */
export const openBrowser = async (): Promise<Browser> =>
  await chromium.launch(await chromiumOptions());

/** How long a page may take to show what a test waits for. The limit only ends a hang. */
const patienceMs = 30_000;

export type TabOptions = BrowserContextOptions & {
  /** Complaints that are expected. */
  readonly expected?: RegExp;
};

/**
 * Opens a tab with an address, in a browser profile of its own, which is closed with the tab. Its
 * disposal fails if the page sent requests to other hosts, logged errors or warnings, or violated
 * its policy.
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
    /** All requests of the profile. */
    requests,
    async [Symbol.asyncDispose]() {
      await context.close();
      if (complaints.length > 0) throw new Error(complaints.join('\n'));
    },
  };
}

/** Describes the focused element: its name, and whether it or one of its parts shows the focus. */
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
 * Presses Tab until an element has the focus. Every element on the way must show its focus.
 *
 * @param name the beginning of the element's name; `undefined` for the end of the page.
 * @returns the names of the elements on the way.
 */
export async function tabTo(page: Page, name?: string, limit = 300): Promise<string[]> {
  const passed: string[] = [];
  while (passed.length < limit) {
    await page.keyboard.press('Tab');
    const focus = await focusOf(page);
    // The focus is after the last element and before the first one.
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

/** Returns how many pixels the page is wider than the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
