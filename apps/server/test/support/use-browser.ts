import type { Browser } from 'playwright-core';
import { beforeAll } from 'vitest';
import { openBrowser } from './browser.ts';

/** Starts a browser before the tests of a file, and ends it after them. */
export function useBrowser(): Pick<Browser, 'newContext' | 'newPage'> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    return () => browser.close();
  });
  return {
    newContext: (options) => browser.newContext(options),
    newPage: (options) => browser.newPage(options),
  };
}
