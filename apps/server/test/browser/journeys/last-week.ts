import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { tabTo } from '../../support/browser.ts';
import type { ConsoleTab } from '../../support/console-browser.ts';
import type { Store } from '../../support/use-console.ts';
import { writeCounts } from '../../support/write-usage.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Midnight (UTC) at the start of the day one week ago. */
const lastTuesday = Math.floor(Date.now() / dayMs - 7) * dayMs;
const iso = (time: number) => new Date(time).toISOString();
const hours = (from: number, to: number) => ({
  range: 'own',
  from: iso(lastTuesday + from * hourMs),
  to: iso(lastTuesday + to * hourMs),
});
const own = hours(0, 24);

const slider = (page: Page) => page.getByRole('slider');
const allOf = (page: Page) =>
  page.getByRole('table', { name: 'By outcome' }).getByRole('row', { name: 'All 40' });

/**
 * Opens a page with the day one week ago as its period. The journey first opens another page.
 * Otherwise, the console might show an earlier response for a moment.
 */
async function showDay({ show }: ConsoleTab, plot: string): Promise<void> {
  await show('#/operators');
  await show(plot);
}

/**
 * Selects the day one week ago as the period. The journey checks that other pages keep the period,
 * and that a colleague who opens the address sees the same period. It also downloads and zooms the
 * plot.
 */
export async function viewLastWeek({ service, admin, open }: Store): Promise<void> {
  const { key } = await admin.create('{"name":"W-1 shop","account":"W-1","plan":"pro"}');
  await writeCounts(service.database, key.id, [
    [lastTuesday + 9 * hourMs, 'ok', 10],
    [lastTuesday + 10 * hourMs, 'ok', 20],
    [lastTuesday + 10 * hourMs, 'denied', 10],
  ]);
  const plot = `#/key/${key.id}?${new URLSearchParams(own)}`;
  await using tab = await open({ timezoneId: 'UTC', hasTouch: true, expected: /getImageData/ });
  const { page } = tab;
  const day = own.from.slice(0, 10);
  const [from, until] = [
    page.getByLabel('From (local time)'),
    page.getByLabel('Until (local time)'),
  ];
  await tab.press('Last hour');
  await until.fill(`${day}T23:59`);
  await until.blur();
  // For an invalid period, the page shows a message and sends no request.
  await page.getByText('The start must be before the end.').waitFor();
  await from.fill(`${day}T00:00`);
  await from.blur();
  await expect.poll(() => tab.query()['from']).toBe(own.from);
  await page.keyboard.press('Escape');
  await page.getByRole('table', { name: `Busiest keys, ${day} (UTC)` }).waitFor();
  await page.getByRole('link', { name: 'W-1 shop' }).click();
  await allOf(page).waitFor();
  // A colleague in another time zone opens the same address and sees the same period.
  await using colleague = await open({ timezoneId: 'America/New_York' });
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
  // The page of the audit log does not keep the period, because the page uses the same query
  // parameters for its own filters.
  expect(await go('Audit log')).toEqual({});
  await go('Keys');
  await page.getByRole('link', { name: 'W-1', exact: true }).click();
  await allOf(page).waitFor();
  await page.getByRole('group', { name: 'Time' }).getByRole('button').first().click();
  await tab.press('Last week');
  await expect.poll(tab.query).toEqual({ range: 'week' });
  expect(await go('Overview')).toEqual({ range: 'week' });

  // The values of the plot can be downloaded as CSV.
  await showDay(tab, plot);
  const download = await tab.save(/^CSV of Requests/);
  expect(download.suggestedFilename()).toMatch(
    /-\d{4}-\d\d-\d\dT0000Z-\d{4}-\d\d-\d\dT0000Z\.csv$/,
  );
  const [header, ...rows] = (await readFile(await download.path(), 'utf8')).split('\r\n');
  expect(header).toMatch(/^\ufeffat,ok,client_error,server_error,denied,banned,.*all$/);
  // The CSV file has one line for each bar. `split` also returns an empty text after the last line
  // break.
  expect(rows).toHaveLength(25);
  expect(rows[10]).toMatch(new RegExp(`^${iso(lastTuesday + 10 * hourMs)},20,0,0,10,0,.*30$`));
  await zoomIn(tab, plot);
}

/** Waits until the plot no longer moves, and returns the position of an hour in the plot. */
async function placeOf(page: Page, hour: number): Promise<{ x: number; y: number }> {
  const plot = page.locator('.u-over');
  await plot.scrollIntoViewIfNeeded();
  await plot.hover({ trial: true });
  const box = (await plot.boundingBox()) ?? expect.unreachable('There is no plot.');
  return { x: box.x + (box.width * hour) / 24, y: box.y + box.height / 2 };
}

/**
 * Checks that a plot shows the values of the bar under the mouse. The journey zooms in and out with
 * the mouse, a finger and the keyboard.
 */
async function zoomIn(tab: ConsoleTab, plot: string): Promise<void> {
  const { page } = tab;
  const { keyboard } = page;
  const tooltip = page.locator('.tooltip');
  const sliderText = () => slider(page).getAttribute('aria-valuetext');
  await page.getByRole('button', { name: 'Zoom out' }).focus();
  await tabTo(page, 'Requests by hour');
  await keyboard.press('Home');
  for (let n = 0; n < 9; n++) await keyboard.press('ArrowRight');
  expect(await sliderText()).toContain(': 10 requests, OK 10');
  await keyboard.press('Shift+ArrowRight');
  expect(await sliderText()).toContain(': 40 requests, OK 30, Denied (429) 10');
  await tooltip.waitFor();
  await keyboard.press('Enter');
  await expect.poll(tab.query).toEqual(hours(9, 11));
  await keyboard.press('Escape');
  expect(await sliderText()).toBe('no time selected');
  await showDay(tab, plot);
  await expectColours(tab);

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
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [at] });
  const [nine, eleven] = [await placeOf(page, 9.2), await placeOf(page, 10.8)];
  await touch('touchStart', nine);
  await tooltip.getByText('All').waitFor();
  await touch('touchMove', { x: (nine.x + eleven.x) / 2, y: nine.y });
  await touch('touchMove', eleven);
  await touch('touchEnd');
  await expect.poll(tab.query).toEqual(hours(9, 11));
}

/**
 * Expects that a plot changes its colors immediately when the theme changes, and that its legend
 * can hide outcomes.
 */
async function expectColours({ page, press }: ConsoleTab): Promise<void> {
  /** Returns the color of denials in the legend, and whether the canvas contains this color. */
  const denied = () =>
    page.evaluate<[string, boolean]>(`(() => {
      const { backgroundColor } = getComputedStyle(document.querySelector('.legend .key.denied'));
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] === 255 && 'rgb(' + [...data.slice(at, at + 3)].join(', ') + ')' === backgroundColor)
          return [backgroundColor, true];
      return [backgroundColor, false];
    })()`);
  const painted = async () => (await denied())[1];
  await expect.poll(painted).toBe(true);
  const [light] = await denied();
  await press('View');
  await page.getByLabel('Dark').check();
  await expect.poll(denied).toEqual([expect.not.stringContaining(light), true]);
  // The plot also follows the theme of the operating system, which may change.
  await page.getByLabel('System').check();
  await expect.poll(denied).toEqual([light, true]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(denied).toEqual([expect.not.stringContaining(light), true]);
  const series = page.getByRole('button', { name: 'Denied (429)' });
  await series.click();
  await expect.poll(painted).toBe(false);
  expect(await series.getAttribute('aria-pressed')).toBe('false');
  await series.click();
}
