import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { adminToken } from '../support/admin.ts';
import { focusOf, tabTo } from '../support/browser.ts';
import { loaded } from '../support/console-browser.ts';
import { useConsole } from '../support/use-console.ts';
import { writeCounts } from '../support/write-usage.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A day a week ago, from midnight (UTC): "last Tuesday". */
const lastTuesday = Math.floor(Date.now() / dayMs - 7) * dayMs;
const iso = (time: number) => new Date(time).toISOString();
const own = { range: 'own', from: iso(lastTuesday), to: iso(lastTuesday + dayMs) };
const hours = (from: number, to: number) => ({
  range: 'own',
  from: iso(lastTuesday + from * hourMs),
  to: iso(lastTuesday + to * hourMs),
});

const { service, admin, open } = useConsole();
let keyId: string;
/** The pages with a plot, on that day. */
let plots: readonly string[];

/** Ten requests at nine and thirty at ten of that day, a third of them denied. */
beforeAll(async () => {
  const { key } = await admin.create('{"name":"of last week","account":"C-17","plan":"pro"}');
  keyId = key.id;
  await writeCounts(service.database, keyId, [
    [lastTuesday + 9 * hourMs, 'ok', 10],
    [lastTuesday + 10 * hourMs, 'ok', 20],
    [lastTuesday + 10 * hourMs, 'denied', 10],
  ]);
  const pages = [`key/${keyId}`, 'overview', 'account/C-17', 'deprecation'];
  plots = pages.map((link) => `#/${link}?${new URLSearchParams(own)}`);
});

const slider = (page: Page) => page.getByRole('slider');
const toldBy = async (page: Page) => String(await slider(page).getAttribute('aria-valuetext'));
const rowsOf = (page: Page, name: string) => page.getByRole('region', { name }).locator('tbody tr');
const allOf = (page: Page) =>
  page.getByRole('table', { name: 'By outcome' }).getByRole('row', { name: 'All 40' });

test('last Tuesday is chosen, stays on other pages, and a colleague elsewhere sees the same', async () => {
  await using tab = await open({ timezoneId: 'UTC' });
  const { page } = tab;
  const day = own.from.slice(0, 10);
  const [from, until] = [page.getByLabel('From (your time)'), page.getByLabel('Until (your time)')];
  await tab.press('Last hour');
  await until.fill(`${day}T23:59`);
  await until.blur();
  // A range that makes no sense is told, and asks nothing.
  await page.getByText('The first time must be before the second.').waitFor();
  await from.fill(`${day}T00:00`);
  await from.blur();
  await expect.poll(() => tab.query()['from']).toBe(own.from);
  await page.keyboard.press('Escape');
  const title = 'Requests by hour, all keys';
  await page.getByText(`${title}: as a table`).click();
  await expect.poll(() => rowsOf(page, title).count()).toBe(2);
  await page.getByRole('table', { name: `Busiest keys, ${day} (UTC)` }).waitFor();

  await using colleague = await open({ timezoneId: 'America/New_York' });
  await colleague.show(new URL(page.url()).hash);
  await colleague.page.getByText(`${title}: as a table`).click();
  const first = (of: Page) => rowsOf(of, title).locator('time').first().getAttribute('datetime');
  expect(await first(colleague.page)).toBe(await first(page));
  await colleague.page.getByRole('link', { name: 'of last week' }).click();
  await allOf(colleague.page).waitFor();

  const go = async (name: string) => {
    await page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name })
      .click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    return tab.query();
  };
  const chosen = tab.query();
  expect(await go('Deprecation')).toEqual(chosen);
  // Its own fields have these names.
  expect(await go('Audit log')).toEqual({});
  expect(await go('Keys')).toEqual({});
  await page.getByRole('link', { name: 'C-17' }).click();
  await allOf(page).waitFor();
  await page.getByRole('group', { name: 'Time' }).getByRole('button').first().click();
  await tab.press('Last week');
  await expect.poll(tab.query).toEqual({ range: 'week' });
  expect(await go('Overview')).toEqual({ range: 'week' });
});

test('what is plotted is saved as CSV, on every page with a plot', async () => {
  await using tab = await open();
  const texts: string[] = [];
  for (const link of plots) {
    await tab.show(link);
    await tab.page.getByRole('figure', { name: /by hour/ }).waitFor();
    const download = await tab.save(/^CSV of (Requests|Calls)/);
    expect(download.suggestedFilename()).toMatch(
      /-\d{4}-\d\d-\d\dT0000Z-\d{4}-\d\d-\d\dT0000Z\.csv$/,
    );
    texts.push(await readFile(await download.path(), 'utf8'));
  }
  const [header, ...rows] = (texts[0] ?? '').split('\r\n');
  expect(header).toMatch(/^\ufeffat,ok,client_error,server_error,denied,banned,.*all$/);
  // As many as the plot has bars, and one behind the last line.
  expect(rows).toHaveLength(25);
  expect(rows[10]).toMatch(new RegExp(`^${iso(lastTuesday + 10 * hourMs)},20,0,0,10,0,.*30$`));
  expect(new Set(texts).size).toBe(1);
});

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where an hour of that day is in the plot, once the plot no longer moves. */
async function placeOf(page: Page, hour: number): Promise<Place> {
  const plot = page.locator('.u-over');
  await plot.scrollIntoViewIfNeeded();
  await plot.hover({ trial: true });
  const box = (await plot.boundingBox()) ?? expect.unreachable('There is no plot.');
  return { x: box.x + (box.width * hour) / 24, y: box.y + box.height / 2 };
}

test('a plot tells what is under a mouse, and is zoomed by mouse, finger, steps and the way back', async () => {
  await using tab = await open({ hasTouch: true });
  const { page } = tab;
  const tooltip = page.locator('.tooltip');
  const from = () => tab.query()['from'];
  await tab.show(plots[0] ?? '');
  const [start, end] = [await placeOf(page, 9.2), await placeOf(page, 10.8)];
  await page.mouse.move(end.x, end.y);
  await tooltip.getByText('Denied').locator('..').getByText('10').waitFor();
  expect(await tooltip.locator('.sum').textContent()).toMatch(/All\s*30/);
  await page.getByRole('heading', { level: 1 }).hover();
  await tooltip.waitFor({ state: 'detached' });

  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, start.y);
  await page.mouse.move(end.x, end.y);
  await page.mouse.up();
  await expect.poll(tab.query).toEqual(hours(9, 11));
  await allOf(page).waitFor();
  await page.goBack();
  await expect.poll(tab.query).toEqual(own);
  await page.getByRole('button', { name: 'Earlier' }).click();
  await expect.poll(from).toBe(iso(lastTuesday - dayMs));
  await page.getByRole('button', { name: 'Later' }).click();
  await expect.poll(from).toBe(own.from);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect.poll(from).toBe(iso(lastTuesday - dayMs));
  await page.goBack();
  await expect.poll(tab.query).toEqual(own);

  const devtools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: Place[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
  const [nine, eleven] = [await placeOf(page, 9.2), await placeOf(page, 10.8)];
  await touch('touchStart', nine);
  await tooltip.getByText('All').waitFor();
  await touch('touchMove', { x: (nine.x + eleven.x) / 2, y: nine.y });
  await touch('touchMove', eleven);
  await touch('touchEnd');
  await expect.poll(tab.query).toEqual(hours(9, 11));
});

test('the keyboard alone is enough, always shows where it is, and zooms a plot', async () => {
  await using tab = await open({ token: null });
  const { page } = tab;
  const { keyboard } = page;
  // The field has the focus.
  await page.locator('input[name=token]:focus').waitFor();
  await keyboard.type(adminToken);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await tabTo(page, 'Keys');
  await keyboard.press('Enter');
  await page.getByRole('link', { name: 'of last week' }).waitFor();
  await tabTo(page, 'of last week');
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Change plan' }).waitFor();
  await tabTo(page, 'Change plan');
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // Back where it was.
  expect(await focusOf(page)).toMatchObject({ tag: 'BUTTON', name: /^Change plan/ });
  await keyboard.press('Enter');
  await dialog.getByLabel(/^Plan/).press('b');
  await tabTo(page, 'Change');
  await keyboard.press('Enter');
  await tab.notice('The plan is changed.');
  await page.getByText('1,000 a minute, 100,000 a day').waitFor();

  const move = async (times: number, ...keys: string[]) => {
    for (const key of keys) await keyboard.press(key);
    for (let n = 0; n < times; n++) await keyboard.press('ArrowRight');
  };
  await tab.show(plots[0] ?? '');
  await page.getByRole('button', { name: 'Zoom out' }).focus();
  await tabTo(page, 'Requests by hour');
  await move(9, 'Home');
  expect(await toldBy(page)).toContain(': 10 requests, OK 10');
  await keyboard.press('Shift+ArrowRight');
  expect(await toldBy(page)).toContain(': 40 requests, OK 30, Denied (429) 10');
  await page.locator('.tooltip').waitFor();
  // A new answer takes nothing away.
  await page.waitForResponse(/\/admin\/v1\/keys/);
  expect(await toldBy(page)).toContain(': 40 requests');
  await keyboard.press('Enter');
  await expect.poll(tab.query).toEqual(hours(9, 11));
  await expect.poll(() => slider(page).getAttribute('aria-valuemax')).toBe('1');
  await slider(page).press('-');
  await expect.poll(() => tab.query()['from']).toBe(hours(7, 13).from);
  await keyboard.press('Escape');
  expect(await toldBy(page)).toBe('none chosen');
});

/** The colours of a canvas at some of its points, to see whether something is drawn. */
const paintedColours = (page: Page) =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) colours.add(data.slice(at, at + 3).join());
    return [...colours];
  })()`) as Promise<string[]>;

/** The colour of denials in the legend. */
const colourOf = async (page: Page) =>
  String(
    await page.evaluate(
      `getComputedStyle(document.querySelector('.legend .key.denied')).backgroundColor`,
    ),
  )
    .replace(/rgb\((.*)\)/, '$1')
    .replaceAll(' ', '');

test('a plot takes the colours of another theme at once, and hides outcomes by its legend', async () => {
  await using tab = await open({ colorScheme: 'light', expected: /getImageData/ });
  const { page } = tab;
  await tab.show(plots[0] ?? '');
  const light = await colourOf(page);
  await expect.poll(() => paintedColours(page)).toContain(light);
  await tab.press('View');
  await page.getByLabel('Dark').check();
  const dark = await colourOf(page);
  expect(dark).not.toBe(light);
  await expect.poll(() => paintedColours(page)).toContain(dark);
  await expect.poll(() => paintedColours(page)).not.toContain(light);
  // That of the system, which changes as well.
  await page.getByLabel('As the system').check();
  await expect.poll(() => paintedColours(page)).toContain(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => paintedColours(page)).toContain(dark);
  const series = page.getByRole('button', { name: 'Denied (429)' });
  await series.click();
  await expect.poll(() => paintedColours(page)).not.toContain(dark);
  expect(await series.getAttribute('aria-pressed')).toBe('false');
  await slider(page).press('Home');
  for (let n = 0; n < 10; n++) await slider(page).press('ArrowRight');
  expect(await toldBy(page)).toMatch(/: 20 requests, OK 20$/);
});

test('the first load is small, and each page asks one thing at most 20 times a minute', async () => {
  await using tab = await open();
  const { page } = tab;
  await page.getByText('Busiest keys today').waitFor();
  expect(tab.requests.length).toBeLessThanOrEqual(20);
  const sizes = await page.evaluate(
    `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type).map(({ transferSize }) => transferSize))`,
  );
  const total = (sizes as number[]).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual(150_000);
  const asked = [
    ['overview', '/admin/v1/overview'],
    [`key/${keyId}`, '/admin/v1/keys/'],
    ['account/C-17', '/admin/v1/accounts/C-17'],
    ['keys', '/admin/v1/keys'],
    ['accounts', '/admin/v1/accounts'],
    ['audit', '/admin/v1/audit'],
    ['operators', '/admin/v1/operators'],
    ['deprecation', '/admin/v1/deprecation'],
  ] as const;
  const answer = page.waitForResponse(/\/admin\/v1\/keys\?/);
  await tab.show('#/keys');
  expect((await (await answer).allHeaders())['content-encoding']).toMatch(/^(br|gzip)$/);
  await page.clock.install();
  for (const [link, path] of asked) {
    await tab.show(`#/${link}`);
    await loaded(page);
    await page.waitForLoadState('networkidle');
    const before = tab.requests.length;
    // By the clock of the page, which stands still meanwhile.
    for (let second = 0; second < 30; second++) {
      await page.clock.runFor(1_000);
      await page.waitForLoadState('networkidle');
    }
    const paths = tab.requests.slice(before).map((url) => new URL(url).pathname);
    expect(paths.length, link).toBeGreaterThan(0);
    expect(paths.length, link).toBeLessThanOrEqual(10);
    expect(paths.filter((one) => !one.startsWith(path))).toEqual([]);
  }
});
