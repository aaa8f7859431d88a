import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { violationsOf } from '../../support/axe.ts';
import { overflowOf, tabTo } from '../../support/browser.ts';
import type { Store } from '../../support/use-console.ts';

export const desktop = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const;
export const phone = {
  viewport: { width: 390, height: 740 },
  colorScheme: 'dark',
  isMobile: true,
  hasTouch: true,
} as const;
type Device = typeof desktop | typeof phone;

const topOf = async (locator: Locator) => Math.round((await locator.boundingBox())?.y ?? -1);

/**
 * Expects that the top of an element is at least `from` and less than `to` pixels below the top of
 * the window.
 */
const expectTop = (locator: Locator, [from, to]: readonly [number, number]) =>
  expect.poll(() => topOf(locator)).toSatisfy((y: number) => y >= from && y < to);

/**
 * Copies the first command, finds an error code with the keyboard, and chooses a language for
 * samples. The pages remember this language.
 */
export async function searchDocs({ service, openPage }: Store): Promise<void> {
  await using tab = await openPage('/docs/guides/start', {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page } = tab;
  const { keyboard } = page;
  const { origin } = service.server;
  const found = page.locator('.found a').first();
  const copiedBy = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    return page.evaluate('navigator.clipboard.readText()');
  };
  expect(await copiedBy('Copy')).toBe('export ANIMAL_STORE_API_KEY=ast_your_key');
  const { text } = await service.call('/../docs/guides/start.md');
  expect(await copiedBy('Copy page as Markdown')).toBe(text);
  await keyboard.press('/');
  await keyboard.type('rate_limit_exceeded');
  await found.waitFor();
  await expect.poll(() => page.getByRole('status').textContent()).toMatch(/^\d+ results$/);
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await page.waitForURL('**/docs#error-rate_limit_exceeded');
  await expectTop(page.locator('#error-rate_limit_exceeded'), [0, 400]);
  for (const [query, title] of [
    ['create pet', 'Add an animal'],
    ['sold', 'List animals: parameters'],
    ['pagintion', 'Pagination'],
    ['maxRetries', 'maxRetries'],
    ['retry', 'Retry, or not'],
    ['mock', 'Test code that uses the client'],
    ['python 429', 'After a 429'],
    ['replayed', 'The response to a repeated creation'],
    ['leaked key', 'If a key leaks'],
    ['all pages', 'All pages, in code'],
  ] as const) {
    await keyboard.press('Control+k');
    await keyboard.type(query);
    await expect
      .poll(() => found.textContent(), { message: query })
      .toMatch(new RegExp(`^${title}`));
  }
  await page.getByRole('searchbox').fill('zebra crossing');
  await page.getByText('No results for zebra crossing.').last().waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => page.locator('.found li').count()).toBe(0);

  await page.goto(`${origin}/docs/guides/operations`);
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
  await page.goto(`${origin}/docs/guides/pagination`);
  await expect.poll(shown).toEqual(['python']);
}

/**
 * Follows links to operations, responses and errors, and checks that their targets become visible.
 * The journey also changes the language of samples and checks that the page does not scroll.
 */
export async function followLinks(store: Store, device: Device): Promise<void> {
  const { service, openPage } = store;
  const { origin } = service.server;
  await using tab = await openPage('/docs/guides/operations#getPet', device);
  const { page } = tab;
  const isPhone = device === phone;
  const screen = [0, device.viewport.height] as const;
  const heading = page.locator('#getPet');
  await expectTop(heading, [0, 200]);
  const before = await topOf(heading);
  for (const language of ['Python', 'curl']) {
    await page.getByLabel(language, { exact: true }).check();
    expect(Math.abs((await topOf(heading)) - before), language).toBeLessThan(2);
  }
  const openList = async () => {
    if (isPhone) await page.getByRole('button', { name: 'Menu' }).click();
    return page.getByRole('navigation', { name: 'Pages' });
  };
  await page.goto(`${origin}/docs/guides/operations#listOrders`);
  for (const part of [page.locator('#listOrders'), page.getByLabel('curl')])
    await expectTop(part, screen);
  await expectTop(page.getByRole('searchbox'), screen);
  const link = (await openList()).getByRole('link', { name: 'Show your rate limits' });
  await expectTop(link, screen);
  await link.click();
  await expectTop(page.getByRole('heading', { name: 'Show your rate limits' }), screen);
  const marked = (await openList()).locator('[aria-current="true"]');
  await expect.poll(() => marked.textContent()).toBe('GET Show your rate limits');
  // The rows of a table must fit the screen, so that they can be read without scrolling sideways.
  const hidden = await page
    .locator('.long')
    .evaluateAll((tables) =>
      tables.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    );
  expect(hidden.length).toBeGreaterThan(5);
  expect(Math.max(...hidden)).toBe(0);

  // Responses and errors are collapsed to keep the page short. A response or an error opens when
  // the address points to it.
  await page.goto('about:blank');
  await page.goto(`${origin}/docs/guides/operations#createPet-answers`);
  await expectTop(page.locator('#createPet-answers'), [90, 200]);
  const opened = page.locator('details.fold[open]');
  await opened.getByRole('link', { name: 'payload_too_large' }).waitFor();
  expect(await opened.count()).toBe(1);
  // The forms are added by a script. The journey waits for them, because the limit for the height
  // of the page includes the forms.
  const formCount = Object.keys(tries).length;
  await expect.poll(() => page.locator('details.try').count()).toBe(formCount);
  const height = await page.evaluate('document.body.scrollHeight');
  expect(height).toBeLessThan(isPhone ? 14_000 : 9_000);
  await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true');
  await page.getByRole('heading', { name: 'Response: 201' }).waitFor();
  expect(await overflowOf(page)).toBe(0);
  if (!isPhone) expect(await violationsOf(page)).toEqual([]);
}

/**
 * Checks that a wide screen shows samples and responses next to the text of an operation, where they
 * stay visible while scrolling. A guide shows its table of contents next to the text.
 */
export async function readOnWideScreen({ service, openPage }: Store): Promise<void> {
  await using tab = await openPage('/docs/guides/operations#createPet', desktop);
  const { page } = tab;
  const section = page.locator('.columns:has(#createPet)');
  const text = await section.locator('.before').boundingBox();
  const side = section.locator('.side');
  const place = await side.boundingBox();
  expect(place?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? Infinity));
  const sample = side.locator('.sample:visible');
  await expectTop(sample, [0, 500]);
  await page.locator('#createPet-answer').scrollIntoViewIfNeeded();
  await expectTop(sample, [0, 500]);
  const answers = side.getByRole('group', { name: 'Response' });
  await answers.getByRole('radio', { name: '422' }).check();
  await answers.getByText('"idempotency_key_reused"').waitFor();
  expect(await answers.locator('figure:visible').count()).toBe(1);

  await page.goto(`${service.server.origin}/docs/guides/client`);
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await contents.getByRole('link', { name: 'CallOptions' }).click();
  await expectTop(page.locator('#CallOptions'), [0, 200]);
  const marked = contents.locator('[aria-current="true"]');
  await expect.poll(() => marked.textContent()).toBe('CallOptions');
  await expectTop(contents, [0, 100]);
  await page.getByRole('link', { name: 'Next Client: errors, hooks, tests' }).click();
  await page.waitForURL('**/docs/guides/client-errors');

  // On a small screen, a button opens the table of contents, even without JavaScript.
  await using plain = await openPage('/docs/guides/client', {
    ...phone,
    javaScriptEnabled: false,
    expected: /foreign|net::ERR/,
  });
  await plain.page.getByRole('button', { name: 'On this page' }).click();
  await plain.page.getByRole('link', { name: 'CallOptions' }).first().waitFor();
}

/**
 * Expects that the browser shows the same text again after a reload, and after the reader has gone
 * to another page and back. This is difficult for the browser, because it does not know the height
 * of sections that are not laid out yet.
 */
export async function returnToPlace({ service, openPage }: Store, device: Device): Promise<void> {
  await using tab = await openPage('/docs', device);
  const { page } = tab;
  const shownText = () =>
    page.evaluate<string>('document.elementFromPoint(innerWidth / 4, innerHeight / 2).textContent');
  for (const path of ['/docs', '/docs/guides/operations', '/docs/guides/client']) {
    await page.goto(service.server.origin + path);
    // Scrolling lays out more parts of the page, and a script changes the page after the first paint.
    // The text is read when the browser is idle, because both may move it.
    await page.evaluate(`new Promise((done) => {
      scrollTo(0, document.documentElement.scrollHeight * 0.6);
      requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done)));
    })`);
    const text = await shownText();
    await page.reload();
    await expect.poll(shownText, { message: path }).toBe(text);
    await page.goto(`${service.server.origin}/docs/guides/limits`);
    await page.goBack();
    await expect.poll(shownText, { message: path }).toBe(text);
  }
}

/** Expects that guides fit the screen and are accessible. */
export async function expectReadable(
  { service, openPage }: Store,
  device: Device,
  paths: readonly string[],
): Promise<void> {
  await using tab = await openPage('/docs', { ...device, expected: /404/ });
  const { page } = tab;
  for (const path of paths) {
    await page.goto(service.server.origin + path);
    for (const width of device === phone ? [360, device.viewport.width] : [1440]) {
      await page.setViewportSize({ ...device.viewport, width });
      expect(await overflowOf(page), path).toBe(0);
    }
    expect(await violationsOf(page), path).toEqual([]);
  }
  const background = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
  expect(Number(/\d+/.exec(background)) > 128).toBe(device.colorScheme === 'light');
}

/** The values to enter into the form of each operation, with the expected status and response. */
const tries = {
  listPets: [{ ids: '1,2' }, 200, /"name"|\[\]/],
  createPet: [
    { Body: '{"name":"Mia","categoryId":9007199254740993}' },
    ...[201, /"categoryId":9007199254740993/],
  ],
  getPet: [{}, 200, /"id":1,/],
  getRateLimit: [{}, 200, /"windows"/],
} as const;

/** Sends each operation twice with the forms of the page, on a phone. */
export async function tryOut({ service, openPage }: Store): Promise<void> {
  await using tab = await openPage('/docs/guides/operations', phone);
  const { page } = tab;
  // The operation for orders has no form, because it is not implemented.
  await expect.poll(() => page.locator('details.try').count()).toBe(Object.keys(tries).length);
  for (const [id, [fill, status, shows]] of Object.entries(tries)) {
    const form = page.locator(`details.try:has(+ #${id}-samples)`);
    await form.getByText('Try it').click();
    const key = form.getByLabel('API key');
    // The page keeps the pasted API key for the forms of the other operations.
    if (id === 'listPets') await key.fill(service.tokens.enterprise);
    for (const [name, value] of Object.entries(fill)) await form.getByLabel(name).fill(value);
    for (let time = 1; time <= 2; time += 1) {
      const answered = page.waitForResponse((response) => response.url().includes('/v1/'));
      await form.getByRole('button', { name: 'Send' }).click();
      const answer = await answered;
      expect(answer.status(), id).toBe(status);
      expect(answer.headers()).not.toHaveProperty('idempotent-replayed');
    }
    await form.getByText(/x-ratelimit-remaining: \d/).waitFor();
    expect(await form.locator('output').textContent(), id).toMatch(shows);
  }
  expect(await overflowOf(page)).toBe(0);
}

/**
 * Sends texts that no header can contain. The page names the field, and sends no request.
 */
export async function tryBrokenHeaders({ service, openPage }: Store): Promise<void> {
  await using tab = await openPage('/docs/guides/operations');
  const { page } = tab;
  const form = page.locator('details.try:has(+ #createPet-samples)');
  await form.getByText('Try it').click();
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  const answerTo = async (field: string, text: string) => {
    await form.getByLabel(field).fill(text);
    await form.getByRole('button', { name: 'Send' }).click();
    const answer = await form.locator('output').textContent();
    expect(await form.locator('label:has(:focus)').textContent()).toBe(field);
    return answer;
  };
  expect(await answerTo('API key', 'ast_1a2b3c4d…')).toBe(
    'API key: a header cannot contain the character “…” (U+2026), so nothing was sent. Paste the complete API key, as it was shown when it was created.',
  );
  await form.getByLabel('API key').fill(service.tokens.enterprise);
  expect(await answerTo('Idempotency-Key', 'order 🐈')).toBe(
    'Idempotency-Key: a header cannot contain the character “🐈” (U+1F408), so nothing was sent. Remove the character.',
  );
  expect(sent).toEqual([]);
}

/**
 * Checks that old links lead to the right place, that pages are complete without JavaScript, and
 * that they appear immediately on a slow network.
 */
export async function readWithoutJavaScript({ service, openPage }: Store): Promise<void> {
  const { origin } = service.server;
  await using old = await openPage('/docs#tag/animals/GET/pets');
  await old.page.waitForURL('**/docs/guides/operations#listPets');
  // This is the address in the header `Link` of responses from deprecated operations.
  await old.page.goto(`${origin}/docs#deprecation`);
  await old.page.locator('#deprecation a').click();
  await old.page.waitForURL('**/docs/guides/deprecation');

  await using plain = await openPage('/docs/guides/operations', {
    javaScriptEnabled: false,
    expected: /foreign|net::ERR/,
  });
  expect(await plain.page.getByRole('searchbox').isVisible()).toBe(false);
  await plain.page.getByLabel('Go', { exact: true }).check();
  expect(await plain.page.getByText('package main').first().isVisible()).toBe(true);
  expect(await plain.page.getByText('import urllib.request').first().isVisible()).toBe(false);

  // The page must appear without its other files, because each file would add its latency.
  // `docs-pages.test.ts` limits the size of the page.
  await using slow = await openPage('/docs', { ...phone, expected: /net::ERR|failed/ });
  const held: string[] = [];
  // The requests for other files never get a response.
  await slow.page.route(/\/docs\/.+/, (route) => void held.push(route.request().url()));
  await slow.page.goto(`${origin}/docs`, { waitUntil: 'commit' });
  const painted = await slow.page.evaluate(`new Promise((resolve) =>
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (paint !== undefined) resolve(paint.name);
    }).observe({ type: 'paint', buffered: true }))`);
  expect(painted).toBe('first-contentful-paint');
  await expect.poll(() => held.length).toBeGreaterThan(0);
}
