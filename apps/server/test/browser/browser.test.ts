import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { hangMs } from '@animal-store/testkit';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useService } from '../support/test-service.ts';
import { useBrowser } from '../support/use-browser.ts';

/** Where pictures of the page are left, to be looked at. */
const pictures = fileURLToPath(new URL('../../node_modules/.screenshots/', import.meta.url));

const badges = {
  'GET/pets': ['stable'],
  'POST/pets': ['stable'],
  'GET/pets/{petId}': ['deprecated', 'Sunset 2030-12-05'],
  'GET/rate-limit': ['beta'],
  'GET/store/orders': ['experimental'],
} as const;
const operations = Object.keys(badges) as readonly (keyof typeof badges)[];

// Each test loads the page anew.
const service = useService('embedded', { env: { ADDRESS_PER_MINUTE: '10000' } });
const browser = useBrowser();
beforeAll(() => mkdir(pictures, { recursive: true }));

test('the browser is offline: no name of another host leads anywhere', async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(hangMs);
  await expect(page.goto('http://animal-store.example/')).rejects.toThrow('ERR_NAME_NOT_RESOLVED');
  await page.close();
});

const screens = [
  {
    name: 'desktop-light',
    device: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  },
  {
    name: 'phone-dark',
    device: {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
      isMobile: true,
      hasTouch: true,
    },
  },
] as const;

describe.each(screens)('the interactive reference at $name, offline', ({ name, device }) => {
  let page: Page;
  const requests: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    page = await browser.newPage(device);
    page.setDefaultTimeout(hangMs);
    page.on('request', (request) => requests.push(request.url()));
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
    await page.goto(`${service.server.origin}/docs/api`);
    await page.locator('[id$="/GET/store/orders"]').first().waitFor({ state: 'attached' });
  });
  afterAll(() => page.close());

  afterEach(async () => {
    // A test that failed half-way leaves its window open.
    await page.keyboard.press('Escape');
  });

  const operation = async (id: string): Promise<Locator> => {
    const section = page.locator(`[id$="/${id}"]`).first();
    // Scalar fills a section once it comes into view.
    await section.scrollIntoViewIfNeeded();
    await section.getByText('Responses', { exact: true }).waitFor();
    return section;
  };
  const picture = (what: string) => page.screenshot({ path: `${pictures}${name}-${what}.png` });

  /** How far the page, or a table of its guides, reaches beyond the screen. */
  const overflow = async () =>
    Number(
      await page.evaluate(`Math.max(
        document.documentElement.scrollWidth,
        ...[...document.querySelectorAll('.markdown table')].map((table) => table.getBoundingClientRect().right),
      ) - document.documentElement.clientWidth`),
    );

  test('shows the store, the way to the guides and no sideways scroll', async () => {
    await picture('top');
    expect(await page.title()).toContain('Animal Store');
    for (const [name, path] of [
      ['Guides', '/docs'],
      ['All errors', '/docs#errors'],
    ] as const) {
      const link = page.getByRole('link', { name, exact: true }).first();
      expect(await link.getAttribute('href')).toMatch(new RegExp(`${path}$`));
    }
    expect(await overflow()).toBeLessThanOrEqual(0);
  });

  test('waits for no font and no picture', async () => {
    // The fonts are those of the device: a face would be a file of somebody's.
    expect(await page.evaluate('document.fonts.size')).toBe(0);
    const missing = 'Array.from(document.images).filter(({ naturalWidth }) => naturalWidth === 0)';
    expect(await page.evaluate(`${missing}.map(({ src }) => src)`)).toEqual([]);
  });

  test('follows the wish for a light or a dark page', async () => {
    const classes = await page.evaluate('document.body.className');
    expect(classes).toContain(`${device.colorScheme}-mode`);
  });

  test.each([
    { id: 'GET/pets', status: 200, shows: /"name"|\[\]/ },
    { id: 'POST/pets', status: 201, shows: /"name":\s*"Mia"/ },
    { id: 'GET/pets/{petId}', status: 200, shows: /"id":\s*1/ },
    { id: 'GET/rate-limit', status: 200, shows: /"windows"/ },
  ])('the try-out of $id answers twice, with the rate limit', async ({ id, status, shows }) => {
    const section = await operation(id);
    await section.getByRole('button', { name: /Test Request/ }).click();
    const dialog = page.getByRole('dialog', { name: 'API Client' });
    await dialog.getByText('Bearer Token').waitFor();
    const token = dialog.getByPlaceholder('Token');
    // Once pasted, the page keeps it for the other operations.
    if ((await token.count()) > 0) await token.fill(service.tokens.enterprise);
    for (let time = 1; time <= 2; time += 1) {
      const answered = page.waitForResponse((response) => response.url().includes('/v1/'));
      await dialog.getByRole('button', { name: /^Send/ }).first().click();
      const answer = await answered;
      expect(answer.status()).toBe(status);
      expect(answer.headers()).not.toHaveProperty('idempotent-replayed');
    }
    await dialog.getByRole('button', { name: /Response Headers/ }).click();
    await dialog.getByText(/^x-ratelimit-remaining$/i).waitFor();
    expect(await overflow()).toBeLessThanOrEqual(0);
    await picture(`try-out-${id.replaceAll(/\W+/g, '-')}`);
    expect(await dialog.textContent()).toMatch(shows);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  test.each(operations)('%s has the badges of its stability', async (id) => {
    const section = await operation(id);
    expect(await section.locator('.badge').allTextContents()).toEqual(badges[id]);
    const isCrossedOut = await page.evaluate(
      `[...document.querySelectorAll('[id$="/${id}"] *')].some(
        (part) => getComputedStyle(part).textDecorationLine === 'line-through')`,
    );
    expect(isCrossedOut).toBe(id === 'GET/pets/{petId}');
    await section.locator('.badge').first().scrollIntoViewIfNeeded();
    await picture(`badges-${id.replaceAll(/\W+/g, '-')}`);
  });

  test('the orders have no try-out', async () => {
    const section = await operation('GET/store/orders');
    expect(await section.getByRole('button', { name: /Test Request/ }).count()).toBe(0);
  });

  test('the samples are curl, the TypeScript client, fetch, Python and Go', async () => {
    const section = await operation('POST/pets');
    await section.getByRole('button', { name: 'curl' }).click();
    for (const name of ['TypeScript client', 'Python', 'Go']) {
      await page.getByRole('option', { name, exact: true }).waitFor();
    }
    await page.getByRole('option', { name: 'fetch', exact: true }).click();
    await section.getByText('await fetch').waitFor();
    await picture('sample');
  });

  test('no operation is wider than the screen', async () => {
    for (const id of operations) {
      await operation(id);
      expect(await overflow(), id).toBeLessThanOrEqual(0);
    }
  });

  test('whatever the keyboard reaches shows it', async () => {
    // From the top: Tab goes on from where the test before left off.
    await page.evaluate(
      'document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex")',
    );
    const reached: string[] = [];
    const unmarked: string[] = [];
    for (;;) {
      await page.keyboard.press('Tab');
      const { name, isMarked } = (await page.evaluate(describeFocus)) as Focus;
      // The focus leaves the page after its last element.
      if (name === 'BODY' || reached.length > 400) break;
      reached.push(name);
      if (!isMarked) unmarked.push(name);
    }
    expect(unmarked).toEqual([]);
    // Sections are filled as they come into view, so not all that they have is passed.
    expect(reached.some((name) => name.includes('Test Request'))).toBe(true);
    // The navigation, which a phone keeps behind a button.
    expect(reached[0]).toMatch(/Open (Search|Menu)/);
  });

  test('no request left the origin, and the console is silent', () => {
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.filter((url) => new URL(url).origin !== service.server.origin)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

type Focus = { readonly name: string; readonly isMarked: boolean };

/** Says in the page what has the focus, and whether it, or what it consists of, has a line around it. */
const describeFocus = `(() => {
  const element = document.activeElement;
  const isMarked = (part) =>
    [getComputedStyle(part), getComputedStyle(part, '::before')].some(
      ({ outlineStyle, outlineWidth, boxShadow }) =>
        (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow.includes('inset'),
    );
  const whole = element.closest('label') ?? element;
  return {
    name: element === document.body ? 'BODY' : element.ariaLabel ?? element.textContent.trim().slice(0, 60),
    isMarked: [whole, ...whole.querySelectorAll('*')].some(isMarked),
  };
})()`;

test('a try-out of the orders that is reached all the same sends nothing', async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(hangMs);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${service.server.origin}/docs/api`);
  const section = page.locator('[id$="/GET/store/orders"]').first();
  await section.scrollIntoViewIfNeeded();
  const button = section.locator('.show-api-client-button');
  await button.waitFor({ state: 'attached' });
  expect(await button.isVisible()).toBe(false);
  await button.dispatchEvent('click');
  const refused = page.waitForEvent('console', (message) =>
    message.text().includes('There is nothing to try yet.'),
  );
  const dialog = page.getByRole('dialog', { name: 'API Client' });
  await dialog.getByRole('button', { name: /^Send/ }).first().click();
  await refused;
  expect(requests.filter((url) => url.includes('/store/orders'))).toEqual([]);
  await page.close();
});

test('a try-out can be reached, filled in and sent with the keyboard alone', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(hangMs);
  await page.goto(`${service.server.origin}/docs/api`);
  const list = page.locator('[id$="/GET/pets"]').first();
  await list.waitFor({ state: 'attached' });

  const tabTo = async (what: string, isThere: string) => {
    for (let presses = 0; presses < 150; presses++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(`(${isThere})(document.activeElement)`)) return;
    }
    throw new Error(`${what} was not reached by Tab`);
  };
  await tabTo('The operation', `({ textContent }) => /^\\s*List animals/.test(textContent)`);
  await page.keyboard.press('Enter');
  await list.getByRole('button', { name: /Test Request/ }).waitFor();
  await tabTo(
    'Its try-out',
    `({ textContent }) => /Test Request.*get \\/pets\\)/i.test(textContent)`,
  );
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'API Client' });
  await dialog.waitFor();
  await tabTo('The key', `({ placeholder }) => placeholder === 'Token'`);
  await page.keyboard.type(service.tokens.enterprise);
  const answered = page.waitForResponse((response) => response.url().includes('/v1/pets'));
  await page.keyboard.press('Control+Enter');
  expect((await answered).status()).toBe(200);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.close();
});
