import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { tabTo } from '../../support/browser.ts';
import type { ConsoleTab } from '../../support/console-browser.ts';
import type { Store } from '../../support/use-console.ts';
import { writeCounts } from '../../support/write-usage.ts';

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

const slider = (page: Page) => page.getByRole('slider');
const toldBy = async (page: Page) => String(await slider(page).getAttribute('aria-valuetext'));
const allOf = (page: Page) =>
  page.getByRole('table', { name: 'By outcome' }).getByRole('row', { name: 'All 40' });

/** A key with ten requests at nine and thirty at ten of that day, ten of them denied: the page with its plot. */
async function keyOfLastWeek({ service, admin }: Store, account: string): Promise<string> {
  const { key } = await admin.create(
    `{"name":"${account} shop","account":"${account}","plan":"pro"}`,
  );
  await writeCounts(service.database, key.id, [
    [lastTuesday + 9 * hourMs, 'ok', 10],
    [lastTuesday + 10 * hourMs, 'ok', 20],
    [lastTuesday + 10 * hourMs, 'denied', 10],
  ]);
  return `#/key/${key.id}?${new URLSearchParams(own)}`;
}

/** Shows that day, and waits for it: what was shown before stays until the answer is there. */
async function showDay({ page, show }: ConsoleTab, plot: string): Promise<void> {
  await show(plot);
  await expect.poll(() => slider(page).getAttribute('aria-valuemax')).toBe('23');
}

/** What happened last Tuesday: it is chosen, stays on other pages, is saved, and a colleague sees the same. */
export async function lookBack(store: Store): Promise<void> {
  const plot = await keyOfLastWeek(store, 'W-1');
  await using tab = await store.open({ timezoneId: 'UTC' });
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
  await page.getByRole('table', { name: `Busiest keys, ${day} (UTC)` }).waitFor();
  await page.getByRole('link', { name: 'W-1 shop' }).click();
  await allOf(page).waitFor();
  // A colleague elsewhere sees the same.
  await using colleague = await store.open({ timezoneId: 'America/New_York' });
  await colleague.show(new URL(page.url()).hash);
  await allOf(colleague.page).waitFor();

  const go = async (name: string) => {
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true });
    await pages.getByRole('link', { name }).click();
    await tab.heading(name);
    return tab.query();
  };
  const chosen = tab.query();
  expect(await go('Deprecation')).toEqual(chosen);
  // Its own fields have these names.
  expect(await go('Audit log')).toEqual({});
  await go('Keys');
  await page.getByRole('link', { name: 'W-1', exact: true }).click();
  await allOf(page).waitFor();
  await page.getByRole('group', { name: 'Time' }).getByRole('button').first().click();
  await tab.press('Last week');
  await expect.poll(tab.query).toEqual({ range: 'week' });
  expect(await go('Overview')).toEqual({ range: 'week' });

  // What is plotted is saved.
  await tab.show(plot);
  await page.getByRole('figure', { name: /by hour/ }).waitFor();
  const download = await tab.save(/^CSV of Requests/);
  expect(download.suggestedFilename()).toMatch(
    /-\d{4}-\d\d-\d\dT0000Z-\d{4}-\d\d-\d\dT0000Z\.csv$/,
  );
  const [header, ...rows] = (await readFile(await download.path(), 'utf8')).split('\r\n');
  expect(header).toMatch(/^\ufeffat,ok,client_error,server_error,denied,banned,.*all$/);
  // As many as the plot has bars, and one behind the last line.
  expect(rows).toHaveLength(25);
  expect(rows[10]).toMatch(new RegExp(`^${iso(lastTuesday + 10 * hourMs)},20,0,0,10,0,.*30$`));
}

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

/** A plot tells what is under a mouse, and is zoomed by mouse, finger, keys, steps and the way back. */
export async function zoomIn(store: Store): Promise<void> {
  const plot = await keyOfLastWeek(store, 'W-2');
  await using tab = await store.open({ hasTouch: true, expected: /getImageData/ });
  const { page } = tab;
  const { keyboard } = page;
  const tooltip = page.locator('.tooltip');
  await showDay(tab, plot);
  await page.getByRole('button', { name: 'Zoom out' }).focus();
  await tabTo(page, 'Requests by hour');
  await keyboard.press('Home');
  for (let n = 0; n < 9; n++) await keyboard.press('ArrowRight');
  expect(await toldBy(page)).toContain(': 10 requests, OK 10');
  await keyboard.press('Shift+ArrowRight');
  expect(await toldBy(page)).toContain(': 40 requests, OK 30, Denied (429) 10');
  await tooltip.waitFor();
  await keyboard.press('Enter');
  await expect.poll(tab.query).toEqual(hours(9, 11));
  await keyboard.press('Escape');
  expect(await toldBy(page)).toBe('none chosen');
  await expectColours(tab, plot);

  const [start, end] = [await placeOf(page, 9.2), await placeOf(page, 10.8)];
  await page.mouse.move(end.x, end.y);
  await tooltip.getByText('Denied').locator('..').getByText('10').waitFor();
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
  for (const [button, days] of [
    ['Earlier', 1],
    ['Later', 0],
    ['Zoom out', 1],
  ] as const) {
    await page.getByRole('button', { name: button }).click();
    await expect.poll(() => tab.query()['from']).toBe(iso(lastTuesday - days * dayMs));
  }

  await showDay(tab, plot);
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
}

/** Expects that a plot takes the colours of another theme at once, and hides outcomes by its legend. */
async function expectColours(tab: ConsoleTab, plot: string): Promise<void> {
  const { page } = tab;
  /** The colours of a canvas, to see whether something is drawn. */
  const painted = () =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] === 255) colours.add('rgb(' + [...data.slice(at, at + 3)].join(', ') + ')');
      return [...colours];
    })()`);
  /** That of denials in the legend. */
  const colour = () =>
    page.evaluate(
      `getComputedStyle(document.querySelector('.legend .key.denied')).backgroundColor`,
    );
  await showDay(tab, plot);
  const light = await colour();
  await expect.poll(painted).toContain(light);
  await tab.press('View');
  await page.getByLabel('Dark').check();
  const dark = await colour();
  expect(dark).not.toBe(light);
  await expect.poll(painted).toContain(dark);
  await expect.poll(painted).not.toContain(light);
  // That of the system, which changes as well.
  await page.getByLabel('As the system').check();
  await expect.poll(painted).toContain(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(painted).toContain(dark);
  const series = page.getByRole('button', { name: 'Denied (429)' });
  await series.click();
  await expect.poll(painted).not.toContain(dark);
  expect(await series.getAttribute('aria-pressed')).toBe('false');
  await series.click();
}
