import { expect, test } from 'vitest';
import { readPictures } from '../console/readme-pictures.ts';
import { violationsOf } from '../support/axe.ts';
import { overflowOf } from '../support/browser.ts';
import { navigationOf } from '../support/console-browser.ts';
import { useConsole } from '../support/use-console.ts';

const { admin, open } = useConsole();

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
  // The name of an account may not be invisible in part.
  const json = (name: string) =>
    JSON.stringify({ name, account: name.replaceAll(/\p{Cf}/gu, ''), plan: 'free' });
  const issued = await Promise.all(hostileNames.map((name) => admin.create(json(name))));
  const expectText = async (link: string, names: readonly string[]) => {
    await tab.show(link);
    for (const name of names)
      await page.locator('bdi:visible').filter({ hasText: name }).first().waitFor();
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await overflowOf(page)).toBe(0);
  };
  for (const link of ['#/keys', '#/audit']) await expectText(link, hostileNames);
  for (const [n, name] of hostileNames.entries()) {
    await expectText(`#/key/${issued[n]?.key.id}`, [name]);
    await tab.press('Revoke…');
    await page.getByRole('dialog').locator('h2 bdi', { hasText: name }).waitFor();
    await page.keyboard.press('Escape');
  }
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
  await page.getByRole('link', { name: 'long 7', exact: true }).click();
  await tab.press('Copy the id');
  await tab.notice('Copied the id.');
  expect(page.url()).toContain(String(await page.evaluate('navigator.clipboard.readText()')));
});

test('the pictures of the README show the navigation of today', async () => {
  await using tab = await open();
  const navigation = await navigationOf(tab.page);
  const pictures = Object.values(await readPictures());
  expect(pictures.length).toBeGreaterThan(0);
  for (const picture of pictures) expect(picture.navigation).toEqual(navigation);
});
