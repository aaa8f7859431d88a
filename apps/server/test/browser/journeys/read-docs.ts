import type { Locator, Page } from 'playwright-core';
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

/** An integrator copies the first line, finds an error code by keyboard, and a sample in a language that is kept. */
export async function searchDocs({ service, openPage }: Store): Promise<void> {
  await using tab = await openPage('/docs/guides/start', {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page } = tab;
  const { keyboard } = page;
  const { origin } = service.server;
  const found = page.locator('.found a').first();
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toBe('export API_KEY=ast_your_key');
  await page.reload();
  await keyboard.press('/');
  await keyboard.type('rate_limit_exceeded');
  await found.waitFor();
  await expect.poll(() => page.getByRole('status').textContent()).toMatch(/^\d+ results$/);
  expect(await violationsOf(page)).toEqual([]);
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await page.waitForURL('**/docs#error-rate_limit_exceeded');
  const heading = page.locator('#error-rate_limit_exceeded');
  await expect.poll(() => topOf(heading)).toSatisfy((y: number) => y >= 0 && y < 400);
  for (const [query, title] of [
    ['create pet', 'Add an animal'],
    ['sold', 'List animals: parameters'],
    ['pagintion', 'Pagination'],
    ['maxRetries', 'maxRetries'],
    ['retry', 'Retry, or not'],
    ['idempotency key', 'Idempotency keys'],
    ['unauthorized', 'unauthorized'],
  ] as const) {
    await keyboard.press('Control+k');
    await keyboard.type(query);
    await expect
      .poll(() => found.textContent(), { message: query })
      .toMatch(new RegExp(`^${title}`));
  }
  await page.getByRole('searchbox').fill('zebra crossing');
  await page.getByText('Nothing is found for zebra crossing.').last().waitFor();
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

/** Links lead to operations, answers and errors, which are in sight, and a language is chosen where one reads. */
export async function followLinks(store: Store, device: Device): Promise<void> {
  const { service, openPage } = store;
  const { origin } = service.server;
  await using tab = await openPage('/docs/guides/operations#getPet', device);
  const { page } = tab;
  const isPhone = device === phone;
  const heading = page.locator('#getPet');
  await expect.poll(() => topOf(heading)).toSatisfy((y: number) => y > 0 && y < 200);
  const before = await topOf(heading);
  for (const language of ['Go', 'curl', 'Python']) {
    await page.getByLabel(language, { exact: true }).check();
    expect(Math.abs((await topOf(heading)) - before), language).toBeLessThan(2);
  }
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pets');
  await page.locator('.found a').first().waitFor();
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.getAttribute("value")')).toBe('python');
  expect(Math.abs((await topOf(heading)) - before)).toBeLessThan(2);

  const isInSight = (locator: Locator) =>
    expect
      .poll(() => topOf(locator))
      .toSatisfy((y: number) => y >= 0 && y < device.viewport.height);
  const openList = async () => {
    if (isPhone) await page.getByRole('button', { name: 'Guides' }).click();
    return page.getByRole('navigation', { name: 'Guides' });
  };
  for (const id of ['listPets', 'createPet', 'getRateLimit', 'listOrders']) {
    await page.goto(`${origin}/docs/guides/operations#${id}`);
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

  // Answers and errors open when an address leads to them, so that the page is short.
  await page.getByLabel('curl', { exact: true }).check();
  await page.goto('about:blank');
  await page.goto(`${origin}/docs/guides/operations#createPet-answers`);
  const answers = page.locator('#createPet-answers');
  await expect.poll(() => topOf(answers)).toSatisfy((y: number) => y > 90 && y < 200);
  const opened = page.locator('details.fold[open]');
  await opened.getByRole('link', { name: 'payload_too_large' }).waitFor();
  expect(await opened.count()).toBe(1);
  const measures = `[document.body.scrollHeight, getComputedStyle(document.documentElement).scrollBehavior]`;
  const [height = 0, scrolling] = (await page.evaluate(measures)) as [number, string];
  expect(height).toBeLessThan(isPhone ? 14_000 : 9_000);
  expect(scrolling).toBe('auto');
  await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true');
  await page.getByRole('heading', { name: 'Answer: 201' }).waitFor();
  expect(await overflowOf(page)).toBe(0);
  // That of a phone is judged in `tryOut`.
  if (!isPhone) expect(await violationsOf(page)).toEqual([]);
  await page.goto(`${origin}/docs/guides/errors#answers-without-a-body`);
  await page.locator('td', { hasText: '431' }).waitFor();
  const colours = `['.keyword', 'code'].map((name) => getComputedStyle(document.querySelector(name)).color)`;
  const [keyword, code] = (await page.evaluate(colours)) as string[];
  expect(keyword).not.toBe(code);
}

/** Expects that guides are as wide as the screen, and that everybody can use them. */
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
  expect((await brightness(page)) > 128).toBe(device.colorScheme === 'light');
}

const brightness = async (page: Page): Promise<number> => {
  const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  return Number(/\d+/.exec(String(background)));
};
