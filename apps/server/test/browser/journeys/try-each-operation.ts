import { expect } from 'vitest';
import { violationsOf } from '../../support/axe.ts';
import { overflowOf } from '../../support/browser.ts';
import type { Store } from '../../support/use-console.ts';
import { phone } from './read-docs.ts';

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

/** Each operation is tried, twice, on a phone. */
export async function tryOut({ service, openPage }: Store): Promise<void> {
  await using tab = await openPage('/docs/guides/operations', phone);
  const { page } = tab;
  await page.locator('details.try').first().waitFor({ state: 'attached' });
  for (const { id, fill, status, shows } of operations) {
    const forms = page.locator(`details.try:has(+ #${id}-samples)`);
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
}

/** Old links lead where they should; pages are whole without JavaScript, and at once on a slow network. */
export async function readWithLess({ service, openPage }: Store): Promise<void> {
  const { origin } = service.server;
  const { headers } = await service.call('/pets/1');
  const [, url = ''] = /<([^>]*)>; rel="deprecation"/.exec(String(headers.get('Link'))) ?? [];
  await using old = await openPage('/docs#tag/animals/GET/pets');
  await old.page.waitForURL('**/docs/guides/operations#listPets');
  await old.page.goto(url);
  await old.page.locator(`[id="${new URL(url).hash.slice(1)}"] a`).click();
  await old.page.waitForURL('**/docs/guides/deprecation');

  await using plain = await openPage('/docs/guides/operations', {
    javaScriptEnabled: false,
    expected: /foreign|net::ERR/,
  });
  expect(await plain.page.getByRole('searchbox').isVisible()).toBe(false);
  await plain.page.getByLabel('Go', { exact: true }).check();
  expect(await plain.page.getByText('package main').first().isVisible()).toBe(true);
  expect(await plain.page.getByText('import urllib.request').first().isVisible()).toBe(false);
  // No name of another host leads anywhere.
  const leaving = plain.page.goto('http://animal-store.example/');
  await expect(leaving).rejects.toThrow('ERR_NAME_NOT_RESOLVED');

  // Each further file would add its latency. `docs-pages.test.ts` limits what the page weighs.
  await using slow = await openPage('/docs', { ...phone, expected: /net::ERR|failed/ });
  const held: string[] = [];
  // Never answered.
  await slow.page.route(/\/docs\/.+/, (route) => void held.push(route.request().url()));
  await slow.page.goto(`${origin}/docs`, { waitUntil: 'commit' });
  const painted = await slow.page.evaluate(`new Promise((resolve) =>
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (paint !== undefined) resolve(paint.name);
    }).observe({ type: 'paint', buffered: true }))`);
  expect(painted).toBe('first-contentful-paint');
  expect(held.length).toBeGreaterThan(0);
}
