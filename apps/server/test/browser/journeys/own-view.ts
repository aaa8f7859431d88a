import { expect } from 'vitest';
import { overflowOf } from '../../support/browser.ts';
import type { Store } from '../../support/use-console.ts';

/** The names that an attacker could give to an API key, with HTML and invisible characters. */
const hostileNames = [
  '"><img src=x onerror=alert(1)><script>alert(2)</script>',
  '\u202Egnp.ecaf\u202C and \u2067isolated',
  '🐈'.repeat(255),
];

/**
 * Chooses another theme, a denser table and absolute times, and checks that a reload keeps them.
 * The journey also checks that names are always shown as text.
 */
export async function chooseView({ admin, open, createKeys }: Store): Promise<void> {
  await createKeys('long', 50);
  await using tab = await open({ viewport: { width: 1440, height: 900 } });
  const { page } = tab;
  const rows = tab.rows('Keys');
  const backgroundColor = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  await tab.show('#/keys?account=long');
  const time = rows.first().locator('time');
  expect(await time.textContent()).toMatch(/ago|now/);
  expect(await backgroundColor()).toBe('rgb(255, 255, 255)');
  await tab.press('View');
  for (const choice of ['Dark', 'Absolute', 'Compact']) await page.getByLabel(choice).check();
  await page.reload();
  await rows.nth(49).waitFor();
  expect(await time.textContent()).toMatch(/\d{4}, \d\d:\d\d/);
  expect(await backgroundColor()).not.toBe('rgb(255, 255, 255)');
  // 50 rows must fit on the screen of a laptop, together with the header of the table, which stays
  // at the top of the screen. So the journey first scrolls the page until the table reaches the
  // top. It rounds up the distance, because pages scroll by whole pixels.
  await page.evaluate(
    'scrollBy(0, Math.ceil(document.querySelector("table").getBoundingClientRect().top))',
  );
  const head = await page.locator('thead th').first().boundingBox();
  const last = await rows.nth(49).boundingBox();
  expect(Math.round(head?.y ?? Number.NaN)).toBe(0);
  expect((last?.y ?? Number.NaN) + (last?.height ?? 0)).toBeLessThanOrEqual(900);
  await tab.press('View');
  for (const choice of ['System', 'Relative', 'Comfortable']) await page.getByLabel(choice).check();
  await expect.poll(backgroundColor).toBe('rgb(255, 255, 255)');
  // If all settings have their default values, the browser stores nothing.
  await expect.poll(() => page.evaluate('localStorage.length')).toBe(0);

  // Every page shows the name of an API key as text. A right-to-left name does not change the
  // direction of the text after it.
  const issued = await Promise.all(
    hostileNames.map((name) => {
      // The test removes invisible characters, because the name of an account must not contain them.
      const account = name.replaceAll(/\p{Cf}/gu, '');
      return admin.create(JSON.stringify({ name, account, plan: 'free' }));
    }),
  );
  const expectText = async (link: string, names: readonly string[]) => {
    await tab.show(link);
    for (const name of names)
      await page.locator('bdi:visible').filter({ hasText: name }).first().waitFor();
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await overflowOf(page)).toBe(0);
  };
  await expectText('#/keys', hostileNames);
  for (const [n, name] of hostileNames.entries()) {
    await expectText(`#/key/${issued[n]?.key.id}`, [name]);
    await tab.press('Revoke…');
    await page.getByRole('dialog').locator('h2 bdi', { hasText: name }).waitFor();
    await page.keyboard.press('Escape');
  }
}
