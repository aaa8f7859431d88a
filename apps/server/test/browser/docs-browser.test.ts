import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { hangMs } from '@animal-store/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docsPaths, guidePath } from '../../src/reference/docs-pages.ts';
import { guides } from '../../src/reference/guides.ts';
import { violationsOf } from '../support/axe.ts';
import { useService } from '../support/test-service.ts';
import { useBrowser } from '../support/use-browser.ts';

/** Where pictures of the pages are left, to be looked at. */
const pictures = fileURLToPath(new URL('../../node_modules/.screenshots/docs/', import.meta.url));

const pages = [docsPaths.home, ...guides.map(({ name }) => guidePath(name)), docsPaths.changelog];

const service = useService('embedded', { env: { ADDRESS_PER_MINUTE: '100000' } });
const browser = useBrowser();
beforeAll(() => mkdir(pictures, { recursive: true }));

const overflowOf = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } as const;
const desktop = { viewport: { width: 1440, height: 900 } } as const;
const screens = [
  { name: 'desktop-light', device: { ...desktop, colorScheme: 'light' } },
  { name: 'desktop-dark', device: { ...desktop, colorScheme: 'dark' } },
  { name: 'phone-light', device: { ...phone, colorScheme: 'light' } },
  { name: 'phone-dark', device: { ...phone, colorScheme: 'dark' } },
] as const;

describe.each(screens)('the guides at $name, offline', ({ name, device }) => {
  let page: Page;
  const requests: string[] = [];
  const complaints: string[] = [];
  const open = (path: string) => page.goto(service.server.origin + path);

  beforeAll(async () => {
    page = await browser.newPage(device);
    page.setDefaultTimeout(hangMs);
    page.on('request', (request) => requests.push(request.url()));
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  });
  afterAll(() => page.close());

  test.each(pages)('%s is as wide as the screen, and axe finds nothing', async (path) => {
    await open(path);
    await page.screenshot({ path: `${pictures}${name}${path.replaceAll('/', '-')}.png` });
    expect(await overflowOf(page)).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  test('results of the search are accessible, too', async () => {
    await open('/docs');
    await page.getByRole('searchbox').fill('retry');
    await page.locator('.found a').first().waitFor();
    await page.screenshot({ path: `${pictures}${name}-search.png` });
    expect(await overflowOf(page)).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  test('its colours follow the wish for a light or a dark page', async () => {
    const background = String(
      await page.evaluate('getComputedStyle(document.body).backgroundColor'),
    );
    const [red = 0] = background.match(/\d+/g)?.map(Number) ?? [];
    expect(red > 128).toBe(device.colorScheme === 'light');
  });

  test('no request left the origin, nothing large was loaded, and the console is silent', () => {
    expect(requests.length).toBeGreaterThan(pages.length);
    expect(requests.filter((url) => !url.startsWith(service.server.origin))).toEqual([]);
    expect(requests.filter((url) => url.includes('scalar'))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe('with the keyboard alone', () => {
  const openPage = async (path: string) => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(hangMs);
    await page.goto(service.server.origin + path);
    return page;
  };

  test('an error code is found and read', async () => {
    const page = await openPage('/docs/guides/start');
    await page.keyboard.press('/');
    await page.keyboard.type('rate_limit_exceeded');
    await page.locator('.found a').first().waitFor();
    await expect.poll(() => page.getByRole('status').textContent()).toMatch(/^\d+ results$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs#error-rate_limit_exceeded');
    const heading = page.locator('#error-rate_limit_exceeded');
    await expect
      .poll(async () => (await heading.boundingBox())?.y)
      .toSatisfy((y: number) => y >= 0 && y < 400);
    await page.close();
  });

  test('a search without a result says so, and Escape closes it', async () => {
    const page = await openPage('/docs');
    await page.getByRole('searchbox').fill('zebra crossing');
    await page.getByText('Nothing is found for zebra crossing.').last().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.found li').count()).toBe(0);
    await page.close();
  });

  test('the first Tab skips to the text, and whatever is reached is marked', async () => {
    const page = await openPage('/docs/guides/operations');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the text');
    const unmarked: string[] = [];
    let reached = 0;
    for (; reached < 300; reached += 1) {
      const focus = (await page.evaluate(`(() => {
        const element = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return {
          name: element === document.body ? 'BODY' : element.outerHTML.slice(0, 80),
          isMarked: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
        };
      })()`)) as { name: string; isMarked: boolean };
      if (focus.name === 'BODY') break;
      if (!focus.isMarked) unmarked.push(focus.name);
      await page.keyboard.press('Tab');
    }
    expect(reached).toBeGreaterThan(30);
    expect(unmarked).toEqual([]);
    await page.close();
  });

  test('the language of samples is chosen for all of them, and kept', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(hangMs);
    await page.goto(`${service.server.origin}/docs/guides/operations`);
    const shown = async () => {
      const languages = await page
        .locator('.sample:visible')
        .evaluateAll((samples) => samples.map((sample) => sample.getAttribute('data-language')));
      return [...new Set(languages)];
    };
    await expect.poll(shown).toEqual(['sh']);
    await page.getByLabel('curl').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(shown).toEqual(['python']);
    await page.goto(`${service.server.origin}/docs/guides/pagination`);
    await expect.poll(shown).toEqual(['python']);
    await context.close();
  });
});

test('a sample can be copied', async () => {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(hangMs);
  await page.goto(`${service.server.origin}/docs/guides/start`);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('export API_KEY=ast_your_key');
  await context.close();
});

test('without JavaScript the pages are whole, and the choice of a language works', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  page.setDefaultTimeout(hangMs);
  await page.goto(`${service.server.origin}/docs/guides/operations`);
  expect(await page.getByRole('searchbox').isVisible()).toBe(false);
  await page.getByLabel('Go', { exact: true }).check();
  expect(await page.getByText('package main').first().isVisible()).toBe(true);
  expect(await page.getByText('import urllib.request').first().isVisible()).toBe(false);
  await context.close();
});

test('an address of an operation from the time when /docs was the reference leads there', async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(hangMs);
  await page.goto(`${service.server.origin}/docs#tag/animals/GET/pets`);
  await page.waitForURL('**/docs/api#tag/animals/GET/pets');
  await page.close();
});

test('the link of the Deprecation header leads to the way to its guide', async () => {
  const { headers } = await service.call('/pets/1');
  const [, url = ''] = /<([^>]*)>; rel="deprecation"/.exec(String(headers.get('Link'))) ?? [];
  const page = await browser.newPage();
  page.setDefaultTimeout(hangMs);
  await page.goto(url);
  await page.locator(`[id="${new URL(url).hash.slice(1)}"] a`).click();
  await page.waitForURL('**/docs/guides/deprecation');
  await page.close();
});

// On a slow network each further file would add its latency. `docs-pages.test.ts` limits what the page weighs.
test('the first content does not wait for any other file', async () => {
  const page = await browser.newPage(phone);
  page.setDefaultTimeout(hangMs);
  const held: string[] = [];
  await page.route(/\/docs\/.+/, (route) => {
    // Never answered.
    held.push(route.request().url());
  });
  await page.goto(`${service.server.origin}/docs`, { waitUntil: 'commit' });
  const painted = await page.evaluate(`new Promise((resolve) =>
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (paint !== undefined) resolve(paint.name);
    }).observe({ type: 'paint', buffered: true }))`);
  expect(painted).toBe('first-contentful-paint');
  expect(held.length).toBeGreaterThan(0);
  await page.close();
});
