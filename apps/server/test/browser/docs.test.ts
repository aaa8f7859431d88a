import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { docsPaths, guidePath } from '../../src/reference/docs-pages.ts';
import { guides } from '../../src/reference/guides.ts';
import { violationsOf } from '../support/axe.ts';
import { openTab, overflowOf, type TabOptions, tabTo } from '../support/browser.ts';
import { useService } from '../support/test-service.ts';
import { useBrowser } from '../support/use-console.ts';

const pages = [
  ...[docsPaths.home, ...guides.map(({ name }) => guidePath(name)), docsPaths.changelog],
  '/docs/nosuch',
];

const service = useService('embedded', { env: { ADDRESS_PER_MINUTE: '100000' } });
const browser = useBrowser();

const open = (path: string, options?: TabOptions) =>
  openTab(browser, service.server.origin + path, options);

const desktop = { viewport: { width: 1440, height: 900 } } as const;
const phone = { viewport: { width: 390, height: 740 }, isMobile: true, hasTouch: true } as const;
const screens = [
  { name: 'desktop-light', device: { ...desktop, colorScheme: 'light' } },
  { name: 'phone-dark', device: { ...phone, colorScheme: 'dark' } },
] as const;

describe.each(screens)('at $name', ({ name, device }) => {
  test('every guide is as wide as the screen, and everybody can use it', async () => {
    await using tab = await open('/docs', { ...device, expected: /404/ });
    const { page } = tab;
    for (const path of pages) {
      await page.goto(service.server.origin + path);
      expect(await overflowOf(page), path).toBe(0);
      expect(await violationsOf(page), path).toEqual([]);
      if (device.viewport.width < 400) {
        await page.setViewportSize({ width: 360, height: 740 });
        expect(await overflowOf(page), path).toBe(0);
        await page.setViewportSize(device.viewport);
      }
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
  });

  test('a language is chosen without losing the place, and a link leads to an operation, with the navigation in sight', async () => {
    await using tab = await open('/docs/guides/operations#getPet', device);
    const { page } = tab;
    const heading = page.locator('#getPet');
    const top = async () => Math.round((await heading.boundingBox())?.y ?? -1);
    await expect.poll(top).toSatisfy((y: number) => y > 0 && y < 200);
    const before = await top();
    for (const language of ['Go', 'curl', 'Python']) {
      await page.getByLabel(language, { exact: true }).check();
      expect(Math.abs((await top()) - before), language).toBeLessThan(2);
    }
    const focused = () => page.evaluate('document.activeElement.getAttribute("value")');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('pets');
    await page.locator('.found a').first().waitFor();
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('python');
    expect(Math.abs((await top()) - before)).toBeLessThan(2);

    const isInSight = (locator: Locator) =>
      expect
        .poll(async () => {
          const { y = -1 } = (await locator.boundingBox()) ?? {};
          return y >= 0 && y < device.viewport.height;
        })
        .toBe(true);
    const openList = async () => {
      if (name.startsWith('phone')) await page.getByRole('button', { name: 'Guides' }).click();
      return page.getByRole('navigation', { name: 'Guides' });
    };
    for (const { id } of operations) {
      await page.goto(`${service.server.origin}/docs/guides/operations#${id}`);
      await isInSight(page.locator(`#${id}`));
      await isInSight(page.getByLabel('Python'));
      await isInSight(page.getByRole('searchbox'));
    }
    const link = (await openList()).getByRole('link', { name: "Show the key's rate limits" });
    await isInSight(link);
    await link.click();
    await isInSight(page.locator('#getRateLimit'));
    await isInSight(page.getByRole('heading', { name: "Show the key's rate limits" }));
    const marked = (await openList()).locator('[aria-current="true"]');
    await expect.poll(() => marked.textContent()).toBe("Show the key's rate limits");
    // A member of a table is read without scrolling sideways.
    const widths = await page
      .locator('.long')
      .evaluateAll((tables) =>
        tables.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      );
    expect(widths.length).toBeGreaterThan(5);
    expect(widths.filter((hidden) => hidden > 0)).toEqual([]);
  });

  test('answers and errors open when an address leads to them, so that the page is short', async () => {
    await using tab = await open('/docs/guides/operations#createPet-answers', device);
    const { page } = tab;
    const heading = page.locator('#createPet-answers');
    const top = async () => (await heading.boundingBox())?.y ?? -1;
    await expect.poll(top).toSatisfy((y: number) => y > 90 && y < 200);
    await page
      .locator('details.fold[open]')
      .getByRole('link', { name: 'payload_too_large' })
      .waitFor();
    expect(await page.locator('details.fold[open]').count()).toBe(1);
    const measures = `[document.body.scrollHeight, getComputedStyle(document.documentElement).scrollBehavior]`;
    const [height = 0, scrolling] = (await page.evaluate(measures)) as [number, string];
    expect(height).toBeLessThan(device.viewport.width < 400 ? 14_000 : 9_000);
    expect(scrolling).toBe('auto');
    await page.evaluate(
      'for (const part of document.querySelectorAll("details")) part.open = true',
    );
    await page.getByRole('heading', { name: 'Answer: 201' }).waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${service.server.origin}/docs/guides/errors#answers-without-a-body`);
    await page.locator('td', { hasText: '431' }).waitFor();
    const colours = `['.keyword', 'code'].map((name) => getComputedStyle(document.querySelector(name)).color)`;
    const [keyword, code] = (await page.evaluate(colours)) as string[];
    expect(keyword).not.toBe(code);
  });
});

interface Operation {
  readonly id: string;
  readonly fill?: Readonly<Record<string, string>>;
  /** The answer to its try-out; none has one. */
  readonly status?: number;
  readonly shows: RegExp;
}

const operations: readonly Operation[] = [
  { id: 'listPets', fill: { ids: '1,2' }, status: 200, shows: /"name"|\[\]/ },
  {
    id: 'createPet',
    fill: { Body: '{"name":"Mia","categoryId":9007199254740993}' },
    status: 201,
    shows: /"categoryId":9007199254740993/,
  },
  { id: 'getPet', status: 200, shows: /"id":1,[\s\S]*/ },
  { id: 'getRateLimit', status: 200, shows: /"windows"/ },
  { id: 'listOrders', shows: /./ },
];

test('each operation can be tried on a phone', async () => {
  await using tab = await open('/docs/guides/operations', screens[1].device);
  const { page } = tab;
  for (const { id, fill, status, shows } of operations) {
    const forms = page.locator(`details.try:has(+ #${id}-samples)`);
    await page.locator('details.try').first().waitFor({ state: 'attached' });
    expect(await forms.count(), id).toBe(status === undefined ? 0 : 1);
    if (status === undefined) continue;
    await forms.getByText('Try it').click();
    const key = forms.getByLabel('API key');
    // Once pasted, the page keeps it for the other operations.
    if ((await key.inputValue()) === '') await key.fill(service.tokens.enterprise);
    for (const [name, value] of Object.entries(fill ?? {})) {
      await forms.getByLabel(name).fill(value);
    }
    for (let time = 1; time <= 2; time += 1) {
      const answered = page.waitForResponse((response) => response.url().includes('/v1/'));
      await forms.getByRole('button', { name: 'Send' }).click();
      const answer = await answered;
      expect(answer.status(), id).toBe(status);
      expect(answer.headers()).not.toHaveProperty('idempotent-replayed');
    }
    await forms.getByText(/x-ratelimit-remaining: \d/).waitFor();
    expect(await forms.locator('output').textContent(), id).toMatch(shows);
  }
  expect(await overflowOf(page)).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
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
  for (const [query, title] of [
    ['createPet', 'Add an animal'],
    ['create pet', 'Add an animal'],
    ['sold', 'List animals: parameters'],
    ['pagintion', 'Pagination'],
    ['maxRetries', 'maxRetries'],
    ['signal', 'signal'],
    ['fetchOptions', 'fetchOptions'],
    ['withOptions', 'withOptions'],
    ['retry', 'Retry, or not'],
    ['idempotency key', 'Idempotency keys'],
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['unauthorized', 'unauthorized'],
  ] as const) {
    await keyboard.press('Control+k');
    await keyboard.type(query);
    await expect
      .poll(() => page.locator('.found a').first().textContent(), { message: query })
      .toMatch(new RegExp(`^${title}`));
  }
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

test('without JavaScript and the internet the pages are whole, and the choice of a language works', async () => {
  await using tab = await open('/docs/guides/operations', {
    javaScriptEnabled: false,
    expected: /foreign|net::ERR/,
  });
  const { page } = tab;
  expect(await page.getByRole('searchbox').isVisible()).toBe(false);
  await page.getByLabel('Go', { exact: true }).check();
  expect(await page.getByText('package main').first().isVisible()).toBe(true);
  expect(await page.getByText('import urllib.request').first().isVisible()).toBe(false);
  // No name of another host leads anywhere.
  const leaving = page.goto('http://animal-store.example/');
  await expect(leaving).rejects.toThrow('ERR_NAME_NOT_RESOLVED');
});

test('links of before, and of the Deprecation header, lead where they should', async () => {
  const { headers } = await service.call('/pets/1');
  const [, url = ''] = /<([^>]*)>; rel="deprecation"/.exec(String(headers.get('Link'))) ?? [];
  await using tab = await open('/docs#tag/animals/GET/pets');
  const { page } = tab;
  await page.waitForURL('**/docs/guides/operations#listPets');
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
