import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { adminToken } from './admin.ts';
import { violationsOf } from './axe.ts';
import type { Store } from './use-console.ts';

const email = 'maria.magdalena.schwarzenberger-von-hohenstein@customers.example';
const accounts = [
  ...['C-2', 'customer-account-000000026', 'x'.repeat(255), email, crypto.randomUUID()],
  'Zoohandlung 動物 & Söhne 🐈',
];

/** The checks that are made on every page. */
export interface Tour {
  readonly widths: readonly number[];
  /**
   * The widths at which axe-core and the accessibility tree are checked, each with the theme to
   * use.
   */
  readonly judged: Readonly<Record<number, 'light' | 'dark'>>;
  /** The widths at which axe-core also checks dialogs and menus. */
  readonly judgedWhenOpen: readonly number[];
}

/**
 * Creates data with long and unusual names. Each account gets an API key of each state and plan,
 * with its history.
 */
async function writeUglyData({ service, admin, bannedKey }: Store): Promise<string> {
  const quota = { perMinute: 9_000_000, perDay: 900_000_000 };
  for (const [n, account] of accounts.entries()) {
    const path = `/accounts/${encodeURIComponent(account)}`;
    const limits = { plan: 'enterprise', quota };
    if (n % 2 === 0) await admin.call(path, { method: 'PUT', json: JSON.stringify(limits) });
    const name = n % 3 === 0 ? 'n'.repeat(255) : `${email}, nightly import ${n}`;
    const { key, token } = await admin.create(JSON.stringify({ name, account, ...limits }));
    await service.call('/pets', { token });
    const reason = encodeURIComponent(`Contract 2026-118 of ${email} ended. `.repeat(2));
    if (n === 1) await admin.call(`/keys/${key.id}/suspend?reason=${reason}`, { method: 'POST' });
    if (n === 2) await admin.call(`${path}/suspend?reason=${reason}`, { method: 'POST' });
    if (n === 3) await admin.call(`/keys/${key.id}/revoke?reason=${reason}`, { method: 'POST' });
    const json = JSON.stringify({ expiresAt: '2031-12-23T22:59:59Z', plan: 'pro' });
    await admin.call(`/keys/${key.id}?reason=${reason}`, { method: 'PATCH', json });
  }
  // The API key has no name, like keys that were created when names were optional.
  await admin.create('{"name":"nameless","plan":"free"}');
  await service.database.db.execute(sql`update api_keys set name = null where name = 'nameless'`);
  const banned = await bannedKey({ name: `${email}, banned`, account: accounts[1] });
  const json = JSON.stringify({ name: `${email} and others`, role: 'viewer' });
  await admin.call('/operators', { json });
  return banned.id;
}

/** Returns a description of each layout fault of a page. */
const faultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const faults = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    const textOf = (element) => element.textContent.trim().replace(/\\s+/g, ' ').slice(0, 40);
    const isSeen = (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.closest('.hidden, dialog:not([open]), [hidden], .u-wrap') &&
      element.getBoundingClientRect().width > 1;
    if (scrollWidth > clientWidth) faults.push('scrolls sideways by ' + (scrollWidth - clientWidth));
    /** The box of the visible part of an element, without the parts that an ancestor cuts off. */
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
    for (const line of document.querySelectorAll('.change > summary')) {
      const { fontSize } = getComputedStyle(line);
      if (isSeen(line) && line.getBoundingClientRect().height > 2.5 * parseFloat(fontSize))
        faults.push(textOf(line) + ' takes more than one line');
    }
    const header = document.querySelector('header').getBoundingClientRect().height;
    if (innerWidth <= 360 && header > 64) faults.push('the header is ' + header + ' px high');
    // A layer over the page is completely visible, and nothing covers it.
    const top = 'dialog[open], :popover-open';
    for (const layer of document.querySelectorAll(document.querySelector(top) ? top : '.found, .tooltip, .bulk, .notice p, .login')) {
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

/** Checks in Chromium's accessibility tree what axe-core does not check. */
async function expectAccessibilityTree(page: Page, link: string, width: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const namesOf = (wanted: string) =>
    nodes
      .filter(({ ignored, role }) => !ignored && role?.value === wanted)
      .map(({ name }) => String(name?.value ?? '').trim());
  // On a phone, a button opens the navigation.
  const found = [namesOf('button').includes('Menu'), namesOf('navigation')[0] === 'Pages'];
  expect(found, link).toEqual([width <= 640, width > 640]);
  // A screen reader announces a new message only in a region that existed before the message. So
  // the region must exist on every page.
  expect(namesOf('status').length, link).toBeGreaterThanOrEqual(2);
  // A style sheet can remove the role of a table from the accessibility tree. So all tables must
  // still be tables in this tree.
  const tables = await page.getByRole('table').count();
  expect(namesOf('table'), link).toHaveLength(tables);
  expect(namesOf('columnheader').length, link).toBeGreaterThanOrEqual(tables);
  expect(['table', 'figure', 'region'].flatMap(namesOf), link).not.toContain('');
  // A canvas has no text, so each figure also has a table with its values.
  expect(namesOf('Canvas'), link).toEqual([]);
  for (const name of namesOf('figure')) {
    const table = page.getByText(`${name}: as a table`);
    await table.click();
    await page.getByRole('table', { name, exact: true }).waitFor();
    await table.click();
  }
}

/**
 * Returns the dialogs and menus of the console by name: the page of each one, and how to open it.
 */
function openStates(bannedId: string): Readonly<Record<string, readonly [string, Open]>> {
  const key = `key/${bannedId}`;
  const pressed =
    (name: string | RegExp): Open =>
    (page) =>
      page.getByRole('button', { name }).first().click();
  /**
   * Returns a function that presses a button. On a phone, it first presses the button that opens
   * the menu around it.
   */
  const unfolded =
    (fold: string, name: string): Open =>
    async (page) => {
      const button = page.getByRole('button', { name: fold, exact: true });
      if (await button.isVisible()) await button.click();
      await pressed(name)(page);
    };
  const select: Open = (page) =>
    page.getByLabel('Select all rows').setChecked(true, { force: true });
  const tooltip: Open = async (page) => {
    await page.getByRole('slider').press('Home');
    for (let n = 0; n < 29; n++) await page.keyboard.press('ArrowRight');
  };
  const search: Open = async (page) => {
    await page.getByRole('combobox', { name: 'Search' }).fill('customers.example');
    await page.getByRole('option').first().waitFor();
  };
  const severalKeys: Open = async (page) => {
    await select(page);
    await unfolded('Actions', 'Move to an account…')(page);
    await page.getByRole('dialog').waitFor();
  };
  return {
    'a tooltip in the middle of the plot': [key, tooltip],
    'the results of a search': ['keys', search],
    'the menu of periods': ['overview', pressed('Last hour')],
    'a letter': [key, pressed('Write to the customer…')],
    'the selected rows': ['keys', select],
    'the dialog for a change of a key': [key, pressed('Edit name')],
    'a dialog about several keys': ['keys', severalKeys],
    'the dialog for a plan': [key, pressed('Change plan')],
    'an entry of the audit log': ['audit', (page) => page.locator('summary').first().click()],
    'all shortcuts': ['accounts', (page) => page.keyboard.press('?')],
    'the menu': ['operators', unfolded('Menu', 'View')],
  };
}

type Open = (page: Page) => Promise<void>;

/**
 * Expects that every page, with its dialogs and menus, is accessible and has room for long data.
 */
export async function tourConsole(
  store: Store,
  { widths, judged, judgedWhenOpen }: Tour,
): Promise<void> {
  const bannedId = await writeUglyData(store);
  const account = (n: number) => `account/${encodeURIComponent(accounts[n] ?? '')}`;
  // The pages that have no entry in the navigation, and the pages whose content depends on their
  // parameters. The pages of the navigation are added after the login.
  const linksOutside = [
    ...['keys?account=nobody', 'new-key', `key/${bannedId}`, account(1), account(2)],
    'overview?range=own&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
  ];
  await using tab = await store.open({ token: null, reducedMotion: 'reduce' });
  const { page } = tab;
  const faults: Record<string, string[]> = {};
  const look = async (what: string, width: number) => {
    const found = await faultsOf(page);
    if (found.length > 0) faults[`${what} ${width}`] = found;
  };
  const resize = (width: number) => page.setViewportSize({ width, height: 900 });
  const judge = async (width: number) => {
    const colorScheme = judged[width];
    await page.emulateMedia({ colorScheme: colorScheme ?? 'light' });
    if (colorScheme !== undefined)
      expect(await violationsOf(page), `${page.url()} ${width}`).toEqual([]);
  };
  for (const width of widths) {
    await resize(width);
    await judge(width);
  }
  await tab.logIn(adminToken);
  const entries = await page
    .locator('header nav a')
    .evaluateAll((links) =>
      links.map((link) => link.getAttribute('href')?.replace('#/', '') ?? ''),
    );
  expect(entries.length).toBeGreaterThan(1);
  for (const link of [...entries, ...linksOutside]) {
    await tab.show(`#/${link}`);
    for (const width of widths) {
      await resize(width);
      await look(link.slice(0, 24), width);
      await judge(width);
      if (judged[width] !== undefined) await expectAccessibilityTree(page, link, width);
    }
  }
  for (const width of widths) {
    await resize(width);
    for (const [what, [link, open]] of Object.entries(openStates(bannedId))) {
      await tab.show(`#/${link}`);
      await open(page);
      await look(what, width);
      if (judgedWhenOpen.includes(width)) await judge(width);
      for (let n = 0; n < 2; n++) await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await store.expireSessions();
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
    await look('the dialog for a token', width);
    await judge(width);
    await tab.logIn(adminToken);
  }
  expect(faults).toEqual({});
}
