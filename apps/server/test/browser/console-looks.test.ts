import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { adminToken } from '../support/admin.ts';
import { violationsOf } from '../support/axe.ts';
import { useConsole } from '../support/use-console.ts';

const { service, admin, open, bannedKey } = useConsole();

const email = 'maria.magdalena.schwarzenberger-von-hohenstein@customers.example';
const accounts = [
  'C-2',
  'customer-account-000000026',
  'x'.repeat(255),
  email,
  crypto.randomUUID(),
  'Zoohandlung 動物 & Söhne 🐈',
];
const widths = [360, 640, 768, 1024, 1152, 1280, 1440, 1920];
let links: readonly string[];
let bannedId: string;

/** Long, ugly data: one key of each state and plan with each account, and a history of them all. */
beforeAll(async () => {
  const put = (path: string, body: object) =>
    admin.call(path, { method: 'PUT', json: JSON.stringify(body) });
  const quota = { perMinute: 9_000_000, perDay: 900_000_000 };
  for (const [n, account] of accounts.entries()) {
    const path = `/accounts/${encodeURIComponent(account)}`;
    if (n % 2 === 0) await put(path, { plan: 'enterprise', quota });
    const name = n % 3 === 0 ? 'n'.repeat(255) : `${email}, nightly import ${n}`;
    const key = { name, account, plan: 'enterprise', quota };
    const { key: made, token } = await admin.create(JSON.stringify(key));
    await service.call('/pets', { token });
    const reason = encodeURIComponent(`Contract 2026-118 of ${email} ended. `.repeat(2));
    if (n === 1) await admin.call(`/keys/${made.id}/suspend?reason=${reason}`, { method: 'POST' });
    if (n === 2) await admin.call(`${path}/suspend?reason=${reason}`, { method: 'POST' });
    if (n === 3) await admin.call(`/keys/${made.id}/revoke?reason=${reason}`, { method: 'POST' });
    const json = JSON.stringify({ expiresAt: '2031-12-23T22:59:59Z', plan: 'pro' });
    await admin.call(`/keys/${made.id}?reason=${reason}`, { method: 'PATCH', json });
  }
  // An old key, from the time when names were optional.
  await admin.create('{"name":"nameless","plan":"free"}');
  const { db, close } = await service.database.open();
  await db.execute(sql`update api_keys set name = null where name = 'nameless'`);
  await close();
  const banned = await bannedKey({ name: `${email}, banned`, account: accounts[1] });
  bannedId = banned.id;
  const json = JSON.stringify({ name: `${email} and others`, role: 'viewer' });
  await admin.call('/operators', { json });
  const lists = ['overview', 'keys', 'keys?account=nobody', 'new-key', 'accounts', 'audit'];
  const pages = [...accounts.map((account) => `account/${encodeURIComponent(account)}`)];
  const ownRange = 'overview?range=own&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
  links = [
    ...lists,
    'deprecation',
    'operators',
    `key/${banned.id}`,
    ...pages.slice(1, 3),
    ownRange,
  ];
});

/** What is wrong with how a page is laid out, in words. */
const faultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const faults = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    const widest = () => [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > clientWidth && getComputedStyle(element).overflowX === 'visible' && isSeen(element)).at(-1);
    const textOf = (element) => element.textContent.trim().replace(/\\s+/g, ' ').slice(0, 40);
    const isSeen = (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.closest('.hidden, dialog:not([open]), [popover]:not(:popover-open), [hidden], .u-wrap') &&
      element.getBoundingClientRect().width > 1;
    if (scrollWidth > clientWidth) faults.push('scrolls sideways by ' + (scrollWidth - clientWidth) + ': ' + widest()?.outerHTML.slice(0, 120));
    /** The box of what can be seen of an element: what is cut ends with its own box. */
    const boxOf = (element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const box = { left, right, top, bottom };
      if (getComputedStyle(element).overflowX !== 'visible') return box;
      for (const child of element.childNodes) {
        if (child instanceof Element && (!isSeen(child) || getComputedStyle(child).position === 'absolute')) continue;
        const range = document.createRange();
        range.selectNodeContents(child);
        const inner = child instanceof Element ? boxOf(child) : range.getBoundingClientRect();
        if (inner.right - inner.left < 1) continue;
        box.left = Math.min(box.left, inner.left);
        box.right = Math.max(box.right, inner.right);
      }
      return box;
    };
    const groups = 'tr, .title, .heading, .filters, .toolbar, .time-range, .figures, .meters, header, header nav, .who, .legend, figcaption, .columns, .facts, .parts, .menu, .actions, .buttons, .bulk, .found li, .form, .tooltip div';
    for (const group of document.querySelectorAll(groups)) {
      if (!isSeen(group)) continue;
      const children = [...group.children].filter((child) => isSeen(child) && !/absolute|fixed/.test(getComputedStyle(child).position));
      const boxes = children.map(boxOf);
      boxes.forEach((one, n) => boxes.slice(n + 1).forEach((other, m) => {
        const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (width > 1 && height > 1)
          faults.push(textOf(children[n]) + ' overlaps ' + textOf(children[n + m + 1]));
      }));
    }
    for (const name of document.querySelectorAll(':is(th, td) .name')) {
      const isCut = name.scrollWidth > name.clientWidth;
      if (isSeen(name) && isCut && name.clientWidth < 120)
        faults.push(textOf(name) + ' has ' + name.clientWidth + ' px');
    }
    for (const card of document.querySelectorAll('[aria-label=Keys] tbody tr')) {
      const { height } = card.getBoundingClientRect();
      if (height > 96) faults.push(textOf(card) + ' is ' + Math.round(height) + ' px high');
    }
    const header = document.querySelector('header').getBoundingClientRect().height;
    if (innerWidth <= 360 && header > 64) faults.push('the header is ' + header + ' px high');
    // What lies over the page is whole, and nothing lies over it.
    const top = 'dialog[open], :popover-open';
    for (const layer of document.querySelectorAll(document.querySelector(top) ? top : '.found, .tooltip, .bulk, .notice p, header.open nav, header.open .who, .login')) {
      if (!isSeen(layer)) continue;
      const { left, right, width, height } = layer.getBoundingClientRect();
      if (left < 0 || right > innerWidth) faults.push(textOf(layer) + ' reaches from ' + left + ' to ' + right);
      if (width < 100 || height < 30) faults.push(textOf(layer) + ' is ' + width + ' by ' + height);
      for (const part of layer.querySelectorAll('li, button, input, textarea, a')) {
        if (!isSeen(part)) continue;
        part.scrollIntoView({ block: 'nearest' });
        const box = part.getBoundingClientRect();
        const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
        if (top && !layer.contains(top)) faults.push(textOf(top) + ' lies over ' + textOf(part));
      }
    }
    return [...new Set(faults)].slice(0, 5);
  })()`);

/** What a screen reader hears, as Chromium tells it: the role and the name of each part, in order. */
async function heardOn(page: Page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => ({
      role: String(role?.value),
      name: String(name?.value ?? '').trim(),
      level: Number(properties.find((property) => property.name === 'level')?.value.value),
    }));
}

/** What is wrong for somebody who hears a page, at a width. */
async function expectHeard(page: Page, link: string, width: number): Promise<void> {
  const heard = await heardOn(page);
  const named = (...roles: string[]) => heard.filter(({ role }) => roles.includes(role));
  expect(named('banner', 'main'), link).toHaveLength(2);
  // What is behind a button on a phone.
  const [menu, navigation] = [
    named('button').some(({ name }) => name === 'Menu'),
    named('navigation'),
  ];
  expect([menu, navigation[0]?.name === 'Pages'], link).toEqual([width <= 640, width > 640]);
  // What happens is read out only in regions that are there before.
  expect(named('status').length, link).toBeGreaterThanOrEqual(2);
  const levels = named('heading').map(({ level }) => level);
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  expect(levels.every((level, n) => level <= (levels[n - 1] ?? 0) + 1)).toBe(true);
  const parts = ['button', 'link', 'textbox', 'searchbox', 'combobox', 'table', 'image', 'figure'];
  expect(
    named(...parts, 'region').filter(({ name }) => name === ''),
    link,
  ).toEqual([]);
  const tables = await page.getByRole('table').count();
  expect(named('table'), link).toHaveLength(tables);
  expect(named('columnheader').length, link).toBeGreaterThanOrEqual(tables);
  // A canvas says nothing; its figure has a table.
  expect(named('Canvas'), link).toEqual([]);
  for (const { name } of named('figure')) {
    const table = page.getByText(`${name}: as a table`);
    await table.click();
    await page.getByRole('table', { name }).waitFor();
    await table.click();
  }
}

/** What lies over a page or opens in it, by its page: how it is opened, and closed again. */
const openStates = () => {
  const leave = (page: Page) => page.keyboard.press('Escape');
  const pressed = (name: string | RegExp) => (page: Page) =>
    page.getByRole('button', { name }).first().click();
  const select = (page: Page) =>
    page.getByLabel('Select all rows').setChecked(true, { force: true });
  const key = `key/${bannedId}`;
  return {
    'a tooltip at its middle': {
      link: key,
      async open(page: Page) {
        await page.getByRole('slider').press('Home');
        for (let n = 0; n < 29; n++) await page.keyboard.press('ArrowRight');
      },
      close: leave,
    },
    'what a search found': {
      link: 'keys',
      async open(page: Page) {
        await page.getByRole('combobox', { name: 'Search' }).fill('customers.example');
        await page.getByRole('option').first().waitFor();
      },
      close: (page: Page) => page.getByRole('combobox', { name: 'Search' }).fill(''),
    },
    'the choice of a time': {
      link: 'overview',
      open: pressed('Last hour'),
      close: leave,
    },
    'a letter': { link: key, open: pressed('Write to the customer…'), close: leave },
    'the question for a change of a key': {
      link: key,
      open: pressed('Edit name'),
      close: leave,
    },
    'the question for a plan': { link: key, open: pressed('Change plan'), close: leave },
    'the rows that are selected': {
      link: 'keys',
      open: select,
      close: pressed('Clear'),
    },
    'a question about several keys': {
      link: 'keys',
      async open(page: Page) {
        await select(page);
        const fold = page.getByRole('button', { name: 'Actions' });
        if (await fold.isVisible()) await fold.click();
        await pressed('Move to an account…')(page);
        await page.getByRole('dialog').waitFor();
      },
      async close(page: Page) {
        await leave(page);
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await pressed('Clear')(page);
      },
    },
    'an entry of the audit log': {
      link: 'audit',
      open: (page: Page) => page.locator('summary').first().click(),
      close: (page: Page) => page.locator('summary').first().click(),
    },
    'all shortcuts': {
      link: 'accounts',
      async open(page: Page) {
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
      },
      close: leave,
    },
    'the menu': {
      link: 'operators',
      open: async (page: Page) => {
        const menu = page.getByRole('button', { name: 'Menu' });
        if (await menu.isVisible()) await menu.click();
        await pressed('View')(page);
      },
      async close(page: Page) {
        await leave(page);
        await leave(page);
        await page.locator('header.open').waitFor({ state: 'detached' });
      },
    },
    'the question for a token': {
      link: 'new-key',
      async open() {
        const { db, close } = await service.database.open();
        await db.execute(sql`update operator_sessions set expires_at = now()`);
        await close();
      },
      close: async () => {},
    },
  } satisfies Record<
    string,
    { link: string; open: (page: Page) => Promise<void>; close: (page: Page) => Promise<void> }
  >;
};

/** Where everybody must be able to use every page: by eye, by ear and by keyboard. */
const judged = new Map([
  [1440, 'light'],
  [360, 'dark'],
] as const);

test('every page has room for long, ugly data at every width, and everybody can use it', async () => {
  await using tab = await open({ token: null, reducedMotion: 'reduce' });
  const { page } = tab;
  const judge = async (width: number) => {
    const colorScheme = judged.get(width as 360) ?? 'light';
    await page.emulateMedia({ colorScheme });
    if (judged.has(width as 360))
      expect(await violationsOf(page), `${page.url()} ${width}`).toEqual([]);
  };
  for (const width of judged.keys()) {
    await page.setViewportSize({ width, height: 900 });
    await judge(width);
  }
  await tab.logIn(adminToken);
  const faults: Record<string, string[]> = {};
  const look = async (what: string, width: number) => {
    const found = await faultsOf(page);
    if (found.length > 0) faults[`${what} ${width}`] = found;
  };
  for (const link of links) {
    await tab.show(`#/${link}`);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await look(link.slice(0, 24), width);
      await judge(width);
      if (judged.has(width as 360)) await expectHeard(page, link, width);
    }
  }
  expect(faults).toEqual({});
});

test('what opens in a page, or over it, is whole at every width', async () => {
  await using tab = await open();
  const { page } = tab;
  const faults: Record<string, string[]> = {};
  for (const [what, state] of Object.entries(openStates())) {
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await tab.show(`#/${state.link}`);
      await state.open(page);
      const found = await faultsOf(page);
      if (found.length > 0) faults[`${what} ${width}`] = found;
      if (width === 360) expect(await violationsOf(page), what).toEqual([]);
      await state.close(page);
    }
  }
  expect(faults).toEqual({});
});
