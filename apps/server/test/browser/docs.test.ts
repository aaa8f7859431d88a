import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { docsPaths, guidePath } from '../../src/reference/docs-pages.ts';
import { guides } from '../../src/reference/guides.ts';
import { violationsOf } from '../support/axe.ts';
import { openTab, overflowOf, type TabOptions, tabTo } from '../support/browser.ts';
import { useService } from '../support/test-service.ts';
import { useBrowser } from '../support/use-console.ts';

/** Where pictures of the pages are left, to be looked at. */
const pictures = fileURLToPath(new URL('../../node_modules/.screenshots/docs/', import.meta.url));

const pages = [docsPaths.home, ...guides.map(({ name }) => guidePath(name)), docsPaths.changelog];

const service = useService('embedded', { env: { ADDRESS_PER_MINUTE: '100000' } });
const browser = useBrowser();
beforeAll(() => mkdir(pictures, { recursive: true }));

const open = (path: string, options?: TabOptions) =>
  openTab(browser, service.server.origin + path, options);

/** The reference tries whether it may evaluate text, and does without. */
const probe = /script-src eval/;

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } as const;
const screens = [
  {
    name: 'desktop-light',
    device: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  },
  { name: 'phone-dark', device: { ...phone, colorScheme: 'dark' } },
] as const;

test('the browser is offline: no name of another host leads anywhere', async () => {
  await using tab = await open('/docs', { expected: /foreign|net::ERR/ });
  const leaving = tab.page.goto('http://animal-store.example/');
  await expect(leaving).rejects.toThrow('ERR_NAME_NOT_RESOLVED');
});

describe.each(screens)('at $name', ({ name, device }) => {
  test('every guide is as wide as the screen, everybody can use it, and it loads nothing large', async () => {
    await using tab = await open('/docs', device);
    const { page } = tab;
    for (const path of pages) {
      await page.goto(service.server.origin + path);
      await page.screenshot({ path: `${pictures}${name}${path.replaceAll('/', '-')}.png` });
      expect(await overflowOf(page), path).toBe(0);
      expect(await violationsOf(page), path).toEqual([]);
    }
    await page.goto(`${service.server.origin}/docs`);
    await page.getByRole('searchbox').fill('retry');
    await page.locator('.found a').first().waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    const background = 'getComputedStyle(document.body).backgroundColor';
    const [red = 0] =
      String(await page.evaluate(background))
        .match(/\d+/g)
        ?.map(Number) ?? [];
    expect(red > 128).toBe(device.colorScheme === 'light');
    expect(tab.requests.filter((url) => url.includes('scalar'))).toEqual([]);
  });

  test('each operation of the reference can be read, and tried out twice', async () => {
    await using tab = await open('/docs/api', { ...device, expected: probe });
    const { page } = tab;
    await page.locator('[id$="/GET/store/orders"]').first().waitFor({ state: 'attached' });
    expect(await page.title()).toContain('Animal Store');
    for (const [link, path] of [
      ['Guides', '/docs'],
      ['All errors', '/docs#errors'],
    ] as const) {
      const first = page.getByRole('link', { name: link, exact: true }).first();
      expect(await first.getAttribute('href')).toMatch(new RegExp(`${path}$`));
    }
    // The fonts are those of the device: a face would be a file of somebody's.
    expect(await page.evaluate('document.fonts.size')).toBe(0);
    const missing = 'Array.from(document.images).filter(({ naturalWidth }) => naturalWidth === 0)';
    expect(await page.evaluate(`${missing}.map(({ src }) => src)`)).toEqual([]);
    expect(await page.evaluate('document.body.className')).toContain(`${device.colorScheme}-mode`);
    for (const { id, badges, status, shows } of operations) {
      const section = await sectionOf(page, id);
      expect(await section.locator('.badge').allTextContents()).toEqual(badges);
      const isCrossedOut = await page.evaluate(
        `[...document.querySelectorAll('[id$="/${id}"] *')].some(
          (part) => getComputedStyle(part).textDecorationLine === 'line-through')`,
      );
      expect(isCrossedOut, id).toBe(badges[0] === 'deprecated');
      expect(await beyond(page), id).toBeLessThanOrEqual(0);
      await page.screenshot({ path: `${pictures}${name}-${id.replaceAll(/\W+/g, '-')}.png` });
      const button = section.getByRole('button', { name: /Test Request/ });
      expect(await button.count(), id).toBe(status === undefined ? 0 : 1);
      if (status === undefined) continue;
      await button.click();
      const dialog = page.getByRole('dialog', { name: 'API Client' });
      await dialog.getByText('Bearer Token').waitFor();
      const token = dialog.getByPlaceholder('Token');
      // Once pasted, the page keeps it for the other operations.
      if ((await token.count()) > 0) await token.fill(service.tokens.enterprise);
      for (let time = 1; time <= 2; time += 1) {
        const answered = page.waitForResponse((response) => response.url().includes('/v1/'));
        await dialog.getByRole('button', { name: /^Send/ }).first().click();
        const answer = await answered;
        expect(answer.status(), id).toBe(status);
        expect(answer.headers()).not.toHaveProperty('idempotent-replayed');
      }
      await dialog.getByRole('button', { name: /Response Headers/ }).click();
      await dialog.getByText(/^x-ratelimit-remaining$/i).waitFor();
      expect(await beyond(page), id).toBeLessThanOrEqual(0);
      expect(await dialog.textContent()).toMatch(shows);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }
    const section = await sectionOf(page, 'POST/pets');
    await section.getByRole('button', { name: 'curl' }).click();
    for (const language of ['TypeScript client', 'Python', 'Go']) {
      await page.getByRole('option', { name: language, exact: true }).waitFor();
    }
    await page.getByRole('option', { name: 'fetch', exact: true }).click();
    await section.getByText('await fetch').waitFor();
    // From the top: Tab goes on from where the test left off.
    await page.evaluate(
      'document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex")',
    );
    const passed = await tabTo(page);
    // The navigation, which a phone keeps behind a button.
    expect(passed[0]).toMatch(/Open (Search|Menu)/);
    expect(passed.join()).toContain('Test Request');
  });
});

interface Operation {
  readonly id: string;
  readonly badges: readonly string[];
  /** The answer to its try-out; none has one. */
  readonly status?: number;
  readonly shows: RegExp;
}

const operations: readonly Operation[] = [
  { id: 'GET/pets', badges: ['stable'], status: 200, shows: /"name"|\[\]/ },
  { id: 'POST/pets', badges: ['stable'], status: 201, shows: /"name":\s*"Mia"/ },
  {
    id: 'GET/pets/{petId}',
    badges: ['deprecated', 'Sunset 2030-12-05'],
    status: 200,
    shows: /"id":\s*1/,
  },
  { id: 'GET/rate-limit', badges: ['beta'], status: 200, shows: /"windows"/ },
  { id: 'GET/store/orders', badges: ['experimental'], shows: /./ },
];

/** Scalar fills a section once it comes into view. */
async function sectionOf(page: Page, id: string): Promise<Locator> {
  const section = page.locator(`[id$="/${id}"]`).first();
  await section.scrollIntoViewIfNeeded();
  await section.getByText('Responses', { exact: true }).waitFor();
  return section;
}

/** How far the page, or a table of its guides, reaches beyond the screen. */
const beyond = (page: Page): Promise<number> =>
  page.evaluate(`Math.max(
    document.documentElement.scrollWidth,
    ...[...document.querySelectorAll('.markdown table')].map((table) => table.getBoundingClientRect().right),
  ) - document.documentElement.clientWidth`);

test('a try-out is filled in and sent by keyboard, and one that is not offered sends nothing', async () => {
  await using tab = await open('/docs/api', {
    expected: /script-src eval|There is nothing to try yet|has been cancelled/,
  });
  const { page } = tab;
  const list = page.locator('[id$="/GET/pets"]').first();
  const dialog = page.getByRole('dialog', { name: 'API Client' });
  await list.waitFor({ state: 'attached' });
  await tabTo(page, 'List animals');
  await page.keyboard.press('Enter');
  await list.getByRole('button', { name: /Test Request/ }).waitFor();
  await tabTo(page, 'Test Request(get /pets)');
  await page.keyboard.press('Enter');
  await dialog.getByPlaceholder('Token').fill(service.tokens.enterprise);
  const answered = page.waitForResponse((response) => response.url().includes('/v1/pets'));
  await page.keyboard.press('Control+Enter');
  expect((await answered).status()).toBe(200);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  const section = page.locator('[id$="/GET/store/orders"]').first();
  await section.scrollIntoViewIfNeeded();
  const button = section.locator('.show-api-client-button');
  await button.waitFor({ state: 'attached' });
  expect(await button.isVisible()).toBe(false);
  await button.dispatchEvent('click');
  const refused = page.waitForEvent('console', (message) =>
    message.text().includes('There is nothing to try yet.'),
  );
  await dialog.getByRole('button', { name: /^Send/ }).first().click();
  await refused;
  expect(tab.requests.filter((url) => url.includes('/store/orders'))).toEqual([]);
});

test('an integrator finds an error code by keyboard, and a sample in a language that is kept', async () => {
  await using tab = await open('/docs/guides/start', {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page } = tab;
  const { keyboard } = page;
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toBe('export API_KEY=ast_your_key');
  await page.reload();
  await keyboard.press('/');
  await keyboard.type('rate_limit_exceeded');
  await page.locator('.found a').first().waitFor();
  await expect.poll(() => page.getByRole('status').textContent()).toMatch(/^\d+ results$/);
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await page.waitForURL('**/docs#error-rate_limit_exceeded');
  const heading = page.locator('#error-rate_limit_exceeded');
  const top = async () => (await heading.boundingBox())?.y;
  await expect.poll(top).toSatisfy((y: number) => y >= 0 && y < 400);
  await page.getByRole('searchbox').fill('zebra crossing');
  await page.getByText('Nothing is found for zebra crossing.').last().waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => page.locator('.found li').count()).toBe(0);

  await page.goto(`${service.server.origin}/docs/guides/operations`);
  const passed = await tabTo(page);
  expect(passed[0]).toBe('Skip to the text');
  expect(passed.length).toBeGreaterThan(30);
  const shown = async () => {
    const languages = await page
      .locator('.sample:visible')
      .evaluateAll((samples) => samples.map((sample) => sample.getAttribute('data-language')));
    return [...new Set(languages)];
  };
  await expect.poll(shown).toEqual(['sh']);
  await page.getByLabel('curl').focus();
  for (let n = 0; n < 3; n++) await keyboard.press('ArrowRight');
  await expect.poll(shown).toEqual(['python']);
  await page.goto(`${service.server.origin}/docs/guides/pagination`);
  await expect.poll(shown).toEqual(['python']);
});

test('without JavaScript the pages are whole, and the choice of a language works', async () => {
  await using tab = await open('/docs/guides/operations', { javaScriptEnabled: false });
  const { page } = tab;
  expect(await page.getByRole('searchbox').isVisible()).toBe(false);
  await page.getByLabel('Go', { exact: true }).check();
  expect(await page.getByText('package main').first().isVisible()).toBe(true);
  expect(await page.getByText('import urllib.request').first().isVisible()).toBe(false);
});

test('links of before, and of the Deprecation header, lead where they should', async () => {
  const { headers } = await service.call('/pets/1');
  const [, url = ''] = /<([^>]*)>; rel="deprecation"/.exec(String(headers.get('Link'))) ?? [];
  await using tab = await open('/docs#tag/animals/GET/pets', { expected: probe });
  const { page } = tab;
  await page.waitForURL('**/docs/api#tag/animals/GET/pets');
  await page.goto(url);
  await page.locator(`[id="${new URL(url).hash.slice(1)}"] a`).click();
  await page.waitForURL('**/docs/guides/deprecation');
});

// On a slow network each further file would add its latency. `docs-pages.test.ts` limits what the page weighs.
test('the first content does not wait for any other file', async () => {
  await using tab = await open('/docs', { ...phone, expected: /net::ERR|failed/ });
  const { page } = tab;
  const held: string[] = [];
  // Never answered.
  await page.route(/\/docs\/.+/, (route) => void held.push(route.request().url()));
  await page.goto(`${service.server.origin}/docs`, { waitUntil: 'commit' });
  const painted = await page.evaluate(`new Promise((resolve) =>
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (paint !== undefined) resolve(paint.name);
    }).observe({ type: 'paint', buffered: true }))`);
  expect(painted).toBe('first-contentful-paint');
  expect(held.length).toBeGreaterThan(0);
});
