import { readFile } from 'node:fs/promises';
import { type UsageOutcome, usageOperations, usageOutcomes } from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { planCode, type UsageEntry } from '../../src/usage/usage-entry.ts';
import { adminToken, useAdmin } from '../support/admin.ts';
import { violationsOf } from '../support/axe.ts';
import { type ConsoleTab, openConsole } from '../support/console-browser.ts';
import { useBrowser } from '../support/use-browser.ts';
import { writeUsage } from '../support/write-usage.ts';

const dayMs = 86_400_000;

/** A day a week ago, from midnight (UTC): "last Tuesday". */
const lastTuesday = Math.floor(Date.now() / dayMs - 7) * dayMs;
const iso = (time: number) => new Date(time).toISOString();
const ownRange = `range=own&from=${iso(lastTuesday)}&to=${iso(lastTuesday + dayMs)}`;

const { service, admin } = useAdmin('postgres');
const browser = useBrowser();
let keyId: string;
beforeAll(async () => {
  const { key } = await admin.create('{"name":"of last week","account":"C-17","plan":"pro"}');
  keyId = key.id;
  await writeHistory();
});

/** Ten requests at nine and thirty at ten of that day, a third of them denied. */
async function writeHistory(): Promise<void> {
  const entry = (hour: number, outcome: UsageOutcome, requests: number): UsageEntry => ({
    keyId,
    plan: planCode('pro'),
    minute: lastTuesday / 60_000 + hour * 60,
    operation: usageOperations.indexOf('getPet'),
    outcome: usageOutcomes.indexOf(outcome),
    requests,
  });
  const entries = [entry(9, 'ok', 10), entry(10, 'ok', 20), entry(10, 'denied', 10)];
  await writeUsage(service.database, entries);
}

const slider = (page: Page) => page.getByRole('slider');
const toldBy = async (page: Page) => String(await slider(page).getAttribute('aria-valuetext'));
const rowsOf = (page: Page, name: string) => page.getByRole('region', { name }).getByRole('row');

/** The colours of a canvas at some of its points, to see whether something is drawn. */
const paintedColours = (page: Page) =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) colours.add(data.slice(at, at + 3).join());
    return [...colours];
  })()`) as Promise<string[]>;

const colourOf = async (page: Page, outcome: string) => {
  const colour = await page.evaluate(
    `getComputedStyle(document.querySelector('.legend .key.${outcome}')).backgroundColor`,
  );
  return String(colour)
    .replace(/rgb\((.*)\)/, '$1')
    .replaceAll(' ', '');
};

describe('the time', () => {
  test('last Tuesday is chosen, is in the address, and a colleague elsewhere sees the same', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl, { timezoneId: 'UTC' });
    const { page } = tab;
    await tab.logIn(adminToken);
    await page.getByLabel('Own range').check();
    const day = iso(lastTuesday).slice(0, 10);
    await page.getByLabel('From (your time)').fill(`${day}T00:00`);
    await page.getByLabel('From (your time)').blur();
    await expect.poll(() => page.url()).toContain(encodeURIComponent(iso(lastTuesday)));
    await page.getByLabel('Until (your time)').fill(`${day}T23:59`);
    await page.getByLabel('Until (your time)').blur();
    const title = 'Requests by hour, all keys';
    await page.getByText(`${title}: as a table`).click();
    await rowsOf(page, title).nth(2).waitFor();
    expect(await rowsOf(page, title).count()).toBe(3);
    await page.getByRole('table', { name: `Busiest keys, ${day} (UTC)` }).waitFor();

    await using colleague = await openConsole(browser, service.server.opsUrl, {
      timezoneId: 'America/New_York',
    });
    await colleague.logIn(adminToken);
    await colleague.show(new URL(page.url()).hash);
    await colleague.page.getByText(`${title}: as a table`).click();
    await rowsOf(colleague.page, title).nth(2).waitFor();
    const ofColleague = await rowsOf(colleague.page, title)
      .locator('time')
      .first()
      .getAttribute('datetime');
    expect(ofColleague).toBe(
      await rowsOf(page, title).locator('time').first().getAttribute('datetime'),
    );
    // The key is shown at the same time.
    await colleague.page.getByRole('link', { name: 'of last week' }).click();
    const outcomes = colleague.page.getByRole('table', { name: 'By outcome' });
    await outcomes.getByRole('row', { name: 'All 40' }).waitFor();
    expect([...tab.complaints, ...colleague.complaints]).toEqual([]);
  });

  test('all plots have the same control, and steps move it', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await tab.logIn(adminToken);
    for (const link of ['overview', `key/${keyId}`, 'account/C-17', 'deprecation']) {
      await tab.show(`#/${link}?${ownRange}`);
      await slider(page).waitFor();
      expect(await page.getByLabel('Own range').isChecked(), link).toBe(true);
      await page.getByRole('figure', { name: /by hour/ }).waitFor();
    }
    const from = () => new URLSearchParams(page.url().split('?')[1]).get('from');
    await page.getByRole('button', { name: 'Earlier' }).click();
    await expect.poll(from).toBe(iso(lastTuesday - dayMs));
    await page.getByRole('button', { name: 'Later' }).click();
    await expect.poll(from).toBe(iso(lastTuesday));
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(from).toBe(iso(lastTuesday - dayMs));
    await page.getByRole('radio', { name: '30 days' }).check();
    await page.getByRole('figure', { name: /by UTC day/ }).waitFor();
    expect(page.url()).not.toContain('from=');
  });

  test('links to other pages keep the time, also past pages without one', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show(`#/overview?${ownRange}`);
    const go = async (name: string) => {
      await page
        .getByRole('navigation', { name: 'Pages', exact: true })
        .getByRole('link', { name })
        .click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      return Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
    };
    const own = Object.fromEntries(new URLSearchParams(ownRange));
    expect(await go('Deprecation')).toEqual(own);
    // Its own fields have these names.
    expect(await go('Audit log')).toEqual({});
    expect(await go('Keys')).toEqual({});
    await page.getByRole('link', { name: 'C-17' }).click();
    await page.getByRole('heading', { name: 'C-17', level: 1 }).waitFor();
    await page
      .getByRole('table', { name: 'By outcome' })
      .getByRole('row', { name: 'All 40' })
      .waitFor();
    expect(await go('Overview')).toEqual(own);
    await page.getByLabel('Last week').check();
    await expect.poll(() => page.url()).toContain('range=week');
    expect(await go('Deprecation')).toEqual({ range: 'week' });
    expect(tab.complaints).toEqual([]);
  });

  test('a range that makes no sense is told, and asks nothing', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await tab.logIn(adminToken);
    await tab.show(`#/overview?${ownRange}`);
    const before = page.url();
    await page.getByLabel('Until (your time)').fill('2020-01-01T00:00');
    await page.getByLabel('Until (your time)').blur();
    await page.getByText('The first time must be before the second.').waitFor();
    expect(page.url()).toBe(before);
  });

  test('what is plotted is saved as CSV', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await tab.logIn(adminToken);
    const save = async (name: string | RegExp) => {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      const download = await saving;
      return {
        name: download.suggestedFilename(),
        text: await readFile(await download.path(), 'utf8'),
      };
    };
    await tab.show(`#/overview?${ownRange}`);
    await page.getByRole('figure', { name: /by hour/ }).waitFor();
    const ofAll = await save(/CSV of Requests by hour/);
    expect(ofAll.name).toMatch(/^usage-\d{4}-\d\d-\d\dT0000Z-\d{4}-\d\d-\d\dT0000Z\.csv$/);
    expect(ofAll.text).toMatch(/^\ufeffat,operation,outcome,requests\r\n/);
    expect(ofAll.text).toContain(`${iso(lastTuesday + 10 * 3_600_000)},getPet,denied,10`);
    const busiest = await save('CSV of the busiest keys');
    expect(busiest.text).toContain(`${keyId},of last week,`);
    await tab.show(`#/key/${keyId}?${ownRange}`);
    await page.getByRole('heading', { name: 'of last week' }).waitFor();
    await page.getByRole('figure', { name: /by hour/ }).waitFor();
    expect((await save(/CSV of Requests by hour/)).text).toContain(',getPet,denied,10');
    await tab.show(`#/deprecation?${ownRange}`);
    await page.getByRole('figure', { name: /Calls of getPet/ }).waitFor();
    expect((await save(/CSV of Calls of getPet/)).text).toBe(ofAll.text);
    expect(tab.complaints).toEqual([]);
  });
});

interface Place {
  readonly x: number;
  readonly y: number;
}

describe('a plot', () => {
  const withPlot = async (
    link = `key/${keyId}?${ownRange}`,
    options: BrowserContextOptions = {},
  ): Promise<ConsoleTab> => {
    const tab = await openConsole(browser, service.server.opsUrl, options);
    await tab.logIn(adminToken);
    await tab.show(`#/${link}`);
    await tab.page.getByRole('figure', { name: /by hour/ }).waitFor();
    return tab;
  };

  /** Moves the pointer to an hour of that day in the plot, once the plot no longer moves. */
  async function pointAt(page: Page, hour: number): Promise<void> {
    const plot = page.locator('.u-over');
    const { width, height } = (await plot.boundingBox()) ?? expect.unreachable('There is no plot.');
    await plot.hover({ position: { x: (width * hour) / 24, y: height / 2 } });
  }

  /** Where an hour of that day is in the plot, once the plot no longer moves. */
  async function placeOf(page: Page, hour: number): Promise<Place> {
    const plot = page.locator('.u-over');
    await plot.hover({ trial: true });
    const box = (await plot.boundingBox()) ?? expect.unreachable('There is no plot.');
    return { x: box.x + (box.width * hour) / 24, y: box.y + box.height / 2 };
  }

  test('tells the numbers under the pointer', async () => {
    await using tab = await withPlot();
    const { page } = tab;
    const tooltip = page.locator('.tooltip');
    await pointAt(page, 10.9);
    await tooltip.getByText('Denied').locator('..').getByText('10').waitFor();
    expect(await tooltip.locator('.sum').textContent()).toMatch(/All\s*30/);
    await page.getByRole('heading', { level: 1 }).hover();
    await tooltip.waitFor({ state: 'detached' });
  });

  test('zooms in where the pointer is dragged, and the way back is the one of the browser', async () => {
    await using tab = await withPlot();
    const { page } = tab;
    const before = page.url();
    await pointAt(page, 9.2);
    await page.mouse.down();
    await pointAt(page, 10);
    await pointAt(page, 10.8);
    await page.mouse.up();
    const query = () => Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
    await expect.poll(query).toEqual({
      range: 'own',
      from: iso(lastTuesday + 9 * 3_600_000),
      to: iso(lastTuesday + 11 * 3_600_000),
    });
    await page
      .getByRole('table', { name: 'By outcome' })
      .getByRole('row', { name: 'All 40' })
      .waitFor();
    await page.goBack();
    expect(page.url()).toBe(before);
    expect(tab.complaints).toEqual([]);
  });

  test('zooms in where a finger is dragged, and shows what it touches', async () => {
    await using tab = await withPlot(`key/${keyId}?${ownRange}`, { hasTouch: true });
    const { page } = tab;
    const devtools = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: Place[]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
    await slider(page).scrollIntoViewIfNeeded();
    const [start, end] = [await placeOf(page, 9.2), await placeOf(page, 10.8)];
    await touch('touchStart', start);
    await page.locator('.tooltip').getByText('All').waitFor();
    await touch('touchMove', { x: (start.x + end.x) / 2, y: start.y });
    await touch('touchMove', end);
    await touch('touchEnd');
    const query = () => Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
    await expect.poll(query).toEqual({
      range: 'own',
      from: iso(lastTuesday + 9 * 3_600_000),
      to: iso(lastTuesday + 11 * 3_600_000),
    });
    expect(tab.complaints).toEqual([]);
  });

  test('takes the colours of another theme at once', async () => {
    await using tab = await withPlot(`key/${keyId}?${ownRange}`, { colorScheme: 'light' });
    const { page } = tab;
    const light = await colourOf(page, 'denied');
    await expect.poll(() => paintedColours(page)).toContain(light);
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByLabel('Dark').check();
    await expect.poll(() => colourOf(page, 'denied')).not.toBe(light);
    const dark = await colourOf(page, 'denied');
    await expect.poll(() => paintedColours(page)).toContain(dark);
    expect(await paintedColours(page)).not.toContain(light);
    // That of the system, which changes as well.
    await page.getByLabel('As the system').check();
    await expect.poll(() => paintedColours(page)).toContain(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => paintedColours(page)).toContain(dark);
  });

  test('shows and hides outcomes by its legend', async () => {
    await using tab = await withPlot();
    const { page } = tab;
    const denied = await colourOf(page, 'denied');
    await expect.poll(() => paintedColours(page)).toContain(denied);
    const series = page.getByRole('button', { name: 'Denied (429)' });
    expect(await series.getAttribute('aria-pressed')).toBe('true');
    await series.click();
    await expect.poll(() => series.getAttribute('aria-pressed')).toBe('false');
    await expect.poll(() => paintedColours(page)).not.toContain(denied);
    const toldAtTen = async () => {
      await slider(page).press('Home');
      for (let n = 0; n < 10; n++) await slider(page).press('ArrowRight');
      return toldBy(page);
    };
    expect(await toldAtTen()).toMatch(/: 20 requests, OK 20$/);
    await series.click();
    await expect.poll(() => paintedColours(page)).toContain(denied);
    expect(await toldAtTen()).toMatch(/: 30 requests, OK 20, Denied \(429\) 10$/);
  });

  test('is looked at and zoomed with the keyboard alone', async () => {
    await using tab = await withPlot();
    const { page } = tab;
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Zoom out' }).focus();
    const isReached = () =>
      page.evaluate(`document.activeElement.getAttribute('role') === 'slider'`);
    await until(async () => {
      await keyboard.press('Tab');
      return isReached();
    });
    await keyboard.press('Home');
    expect(await toldBy(page)).toContain(': 0 requests');
    for (let n = 0; n < 9; n++) await keyboard.press('ArrowRight');
    expect(await toldBy(page)).toContain(': 10 requests, OK 10');
    await keyboard.press('Shift+ArrowRight');
    expect(await toldBy(page)).toContain(': 40 requests, OK 30, Denied (429) 10');
    await page.locator('.tooltip').waitFor();
    // A new answer takes nothing away.
    await page.waitForResponse(/\/admin\/v1\/keys/);
    expect(await toldBy(page)).toContain(': 40 requests');
    await keyboard.press('Escape');
    expect(await toldBy(page)).toBe('none chosen');
    await keyboard.press('End');
    await keyboard.press('Home');
    for (let n = 0; n < 9; n++) await keyboard.press('ArrowRight');
    await keyboard.press('Shift+ArrowRight');
    await keyboard.press('Enter');
    const from = () => new URLSearchParams(page.url().split('?')[1]).get('from');
    await expect.poll(from).toBe(iso(lastTuesday + 9 * 3_600_000));
    // The two hours are there.
    await expect.poll(() => slider(page).getAttribute('aria-valuemax')).toBe('1');
    await slider(page).press('-');
    await expect.poll(from).toBe(iso(lastTuesday + 7 * 3_600_000));
  });

  test.each(['light', 'dark'] as const)(
    'has no fault for those who use it, in %s',
    async (colorScheme) => {
      for (const width of [1440, 1024, 360]) {
        await using tab = await openConsole(browser, service.server.opsUrl, {
          viewport: { width, height: 900 },
          colorScheme,
          reducedMotion: 'reduce',
        });
        await tab.logIn(adminToken);
        for (const link of ['overview', `key/${keyId}`, 'account/C-17', 'deprecation']) {
          await tab.show(`#/${link}?${ownRange}`);
          await tab.page.getByRole('figure', { name: /by hour/ }).waitFor();
          await slider(tab.page).press('Home');
          await tab.page.locator('.tooltip').waitFor();
          expect(await violationsOf(tab.page), `${link} ${width}`).toEqual([]);
          const overflow =
            'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          expect(await tab.page.evaluate(overflow), `${link} ${width}`).toBe(0);
        }
      }
    },
  );
});

describe('the requests of a page', () => {
  /** The requests of some seconds by the clock of the page, which stands still but for a test that moves it on. */
  async function countRequests({ page }: ConsoleTab, seconds: number): Promise<string[]> {
    await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 60_000);
    const asked: string[] = [];
    let answered = 0;
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    page.on('requestfinished', () => {
      answered += 1;
    });
    for (let n = 0; n < seconds; n++) {
      await page.clock.runFor(1_000);
      // Those that were under way before are answered, too.
      await until(() => answered >= asked.length);
    }
    return asked;
  }

  test.each([
    ['overview', '/admin/v1/overview'],
    ['key', '/admin/v1/keys/'],
    ['account', '/admin/v1/accounts/C-17'],
    ['keys', '/admin/v1/keys'],
    ['accounts', '/admin/v1/accounts'],
    ['audit', '/admin/v1/audit'],
    ['operators', '/admin/v1/operators'],
    ['deprecation', '/admin/v1/deprecation'],
  ])('the page %s asks one thing every two seconds, compressed', async (name, path) => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const { page } = tab;
    await page.clock.install();
    await tab.logIn(adminToken);
    const ids: Readonly<Record<string, string>> = { key: `/${keyId}`, account: '/C-17' };
    await tab.show(`#/${name}${ids[name] ?? ''}`);
    await expect.poll(() => page.getByText(/^Loading/).count()).toBe(0);
    await page.waitForLoadState('networkidle');
    const asked = await countRequests(tab, 10);
    expect(asked.length).toBeLessThanOrEqual(5);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((one) => !one.startsWith(path))).toEqual([]);
  });

  test('a long answer comes compressed', async () => {
    await using tab = await openConsole(browser, service.server.opsUrl);
    const coming = tab.page.waitForResponse(/\/admin\/v1\/keys\?/);
    await tab.logIn(adminToken);
    await tab.show('#/keys');
    expect((await (await coming).allHeaders())['content-encoding']).toBe('gzip');
  });
});
