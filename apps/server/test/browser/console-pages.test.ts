import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { readPictures } from '../console/readme-pictures.ts';
import { violationsOf } from '../support/axe.ts';
import { focusOf, overflowOf, tabTo } from '../support/browser.ts';
import { navigationOf } from '../support/console-browser.ts';
import { useConsole } from '../support/use-console.ts';

/** Where pictures of the pages are left, to be looked at. */
const pictures = fileURLToPath(
  new URL('../../node_modules/.screenshots/console/', import.meta.url),
);

const { service, admin, open, createOperator } = useConsole();

const account = 'C-18';
let keyId: string;
/** Every page, by its link. */
let links: readonly string[];

beforeAll(async () => {
  const { key, token } = await admin.create('{"name":"acme","plan":"pro"}');
  keyId = key.id;
  for (let n = 0; n < 20; n++) await service.call(n % 3 === 0 ? '/pets/1' : '/pets', { token });
  // An entry of the audit log is widest with two times.
  for (const year of [2031, 2032]) {
    const json = `{"expiresAt":"${year}-12-23T22:59:59Z"}`;
    await admin.call(`/keys/${keyId}`, { method: 'PATCH', json });
  }
  // An account that has used up its day.
  const json = '{"plan":"enterprise","quota":{"perMinute":10,"perDay":2}}';
  await admin.call(`/accounts/${account}`, { method: 'PUT', json });
  const shared = await admin.create(JSON.stringify({ name: 'shared', account, plan: 'pro' }));
  for (let n = 0; n < 3; n++) await service.call('/pets', { token: shared.token });
  await createOperator('viewer');
  const lists = ['overview', 'keys', 'new-key', 'accounts', 'audit', 'deprecation', 'operators'];
  links = [...lists, `account/${account}`, `key/${keyId}`, 'nowhere'];
});

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

const isMenu = ({ name }: { name: string }) => name === 'Menu';

const screens = [
  { width: 1440, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const;

test.each(screens)(
  'everybody can use every page and dialog at $width px, $colorScheme, and hears what everything is',
  async ({ width, colorScheme }) => {
    const viewport = { width, height: 800 };
    await using tab = await open({ token: null, viewport, colorScheme, reducedMotion: 'reduce' });
    const { page } = tab;
    expect(await violationsOf(page)).toEqual([]);
    await tab.logIn('an-admin-token-for-tests');
    for (const link of links) {
      await tab.show(`#/${link}`);
      expect(await violationsOf(page), link).toEqual([]);
      const name = `${width}-${colorScheme}-${link.replace(/\/.*/, '')}.png`;
      await page.screenshot({ path: pictures + name, fullPage: true });

      const heard = await heardOn(page);
      const named = (...roles: string[]) => heard.filter(({ role }) => roles.includes(role));
      expect(named('banner', 'main'), link).toHaveLength(2);
      const pages = width > 640 ? named('navigation')[0] : named('button').find(isMenu);
      expect(pages, link).toMatchObject({ name: width > 640 ? 'Pages' : 'Menu' });
      // What happens is read out only in regions that are there before.
      expect(named('status').length, link).toBeGreaterThanOrEqual(2);
      const levels = named('heading').map(({ level }) => level);
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      expect(levels.every((level, n) => level <= (levels[n - 1] ?? 0) + 1)).toBe(true);
      const parts = ['button', 'link', 'textbox', 'searchbox', 'combobox', 'radio', 'table'];
      const nameless = named(...parts, 'image', 'figure', 'region').filter(
        (part) => part.name === '',
      );
      expect(nameless, link).toEqual([]);
      const tables = await page.getByRole('table').count();
      expect(named('table'), link).toHaveLength(tables);
      expect(named('columnheader').length, link).toBeGreaterThanOrEqual(tables);
      // A canvas says nothing; its figure has a table.
      expect(named('Canvas'), link).toEqual([]);
      for (const figure of named('figure')) {
        await page.getByText(`${figure.name}: as a table`).click();
        await page.getByRole('table', { name: figure.name }).waitFor();
      }
    }
    await tab.show(`#/key/${keyId}`);
    for (const name of ['Edit name', 'Change plan', 'Rotate…', 'Revoke…']) {
      await page.getByRole('button', { name }).click();
      expect(await violationsOf(page), name).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  },
);

/** Names that somebody could choose to do harm. */
const hostileNames = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  '\u202Egnp.ecaf\u202C and \u2067isolated',
  '🐈'.repeat(255),
];

test('whatever a key is called is text on every page, and turns nothing that follows', async () => {
  await using tab = await open();
  const { page } = tab;
  for (const name of hostileNames) {
    // The name of an account may not be invisible in part.
    const json = JSON.stringify({ name, account: name.replaceAll(/\p{Cf}/gu, ''), plan: 'free' });
    const { key } = await admin.create(json);
    for (const link of ['#/keys', '#/audit', `#/key/${key.id}`]) {
      await tab.show(link);
      await page.locator('bdi:visible').filter({ hasText: name }).first().waitFor();
      expect(await page.locator('img, main script').count()).toBe(0);
      expect(await overflowOf(page)).toBe(0);
    }
    await tab.press('Revoke…');
    await page.getByRole('dialog').locator('h2 bdi', { hasText: name }).waitFor();
    await page.keyboard.press('Escape');
  }
});

test('the keyboard alone is enough, and always shows where it is', async () => {
  await using tab = await open({ token: null });
  const { page } = tab;
  const { keyboard } = page;
  // The field has the focus.
  await page.locator('input[name=token]:focus').waitFor();
  await keyboard.type('an-admin-token-for-tests');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await tabTo(page, 'Keys');
  await keyboard.press('Enter');
  await page.getByRole('link', { name: 'acme' }).waitFor();
  await tabTo(page, 'acme');
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
});

test('who prefers another theme, closer rows or absolute times has them after a reload, too', async () => {
  const created = Array.from({ length: 50 }, (_, n) =>
    admin.create(`{"name":"long ${n}","account":"long","plan":"free"}`),
  );
  await Promise.all(created);
  await using tab = await open({ viewport: { width: 1440, height: 900 } });
  const { page } = tab;
  const rows = page.getByRole('region', { name: 'Keys' }).locator('tbody tr');
  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  await tab.show('#/keys?account=long');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const time = rows.first().locator('time');
  expect(await time.textContent()).toMatch(/ago|now/);
  expect(await time.getAttribute('title')).toMatch(/UTC/);
  expect(await paper()).toBe('rgb(255, 255, 255)');
  await tab.press('View');
  for (const choice of ['Dark', 'Absolute', 'Compact']) await page.getByLabel(choice).check();
  expect(await violationsOf(page)).toEqual([]);
  await page.reload();
  await rows.nth(49).waitFor();
  expect(await time.textContent()).toMatch(/\d{4}, \d\d:\d\d/);
  const dark = await paper();
  expect(dark).not.toBe('rgb(255, 255, 255)');
  // 50 rows fit on the screen of a laptop, under a head that stays. Rounded up: a page is scrolled by
  // whole pixels, and the head stays once the table has left the top.
  await page.evaluate(
    'scrollBy(0, Math.ceil(document.querySelector("table").getBoundingClientRect().top))',
  );
  const box = async (selector: string, n: number) =>
    (await page.locator(selector).nth(n).boundingBox()) ?? { y: NaN, height: NaN };
  const head = await box('thead th', 0);
  const [first, last] = [await box('tbody tr', 0), await box('tbody tr', 49)];
  expect(Math.round(head.y)).toBe(0);
  expect(first.y).toBeGreaterThanOrEqual(head.y + head.height - 1);
  expect(last.y + last.height).toBeLessThanOrEqual(900);
  await page.setViewportSize({ width: 1440, height: 400 });
  await page.evaluate('scrollTo(0, 500)');
  expect((await box('thead th', 0)).y).toBe(0);
  await tab.press('View');
  for (const choice of ['As the system', 'Relative', 'Comfortable'])
    await page.getByLabel(choice).check();
  await expect.poll(paper).toBe('rgb(255, 255, 255)');
  // Who has the usual view leaves nothing on the disk.
  await expect.poll(() => page.evaluate('localStorage.length')).toBe(0);
  await tab.show(`#/key/${keyId}`);
  await tab.press('Copy the id');
  await tab.notice('Copied the id.');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(keyId);
});

test('the pictures of the README show the navigation of today', async () => {
  await using tab = await open();
  const navigation = await navigationOf(tab.page);
  const pictures = Object.values(await readPictures());
  expect(pictures.length).toBeGreaterThan(0);
  for (const picture of pictures) expect(picture.navigation).toEqual(navigation);
});

test('times are in the zone of the reader, with UTC next to them, in the language of the page', async () => {
  await using tab = await open({ timezoneId: 'Pacific/Auckland', locale: 'de-DE' });
  await tab.show(`#/key/${keyId}`);
  const created = tab.page.locator('dt', { hasText: 'Created' }).locator('+ dd time');
  const instant = new Date((await created.getAttribute('datetime')) ?? '');
  const text = await created.textContent();
  const timeZone = 'Pacific/Auckland';
  const local = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone,
  });
  expect(text).toContain(local.format(instant));
  expect(text).toMatch(/UTC/);
  await tab.page
    .getByText(/ a minute, 10{1,2},000 a day/)
    .first()
    .waitFor();
});
