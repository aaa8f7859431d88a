import { repository } from '@animal-store/testkit';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { sql } from 'drizzle-orm';
import { test } from 'vitest';
import { planCode } from '../../src/usage/usage-entry.ts';
import { useConsole } from '../support/use-console.ts';
import { entryOf, writeUsage } from '../support/write-usage.ts';

const folder = `${repository}apps/server/node_modules/.screenshots/`;
const readmeFolder = `${repository}docs/images/`;

/**
 * The screenshots in the README. The name of each property contains a page of the console, the
 * width of its window and its theme.
 */
const readmePictures: Readonly<Record<string, string>> = {
  'overview-1440-light': 'console-overview.png',
  'keys-1440-dark': 'console-keys.png',
};

const customers = [
  ...['Nordic Paws', 'Happy Tails', 'Aquaria', 'City Zoo Basel', 'Feather & Co', 'Reptile House'],
  ...['Pet Finder', 'Stable Mates', 'Wild Rescue', 'Koi Garden', 'Bark Street', 'Meow Market'],
];
const purposes = ['web shop', 'mobile app', 'nightly import', 'partner feed', 'staging'];
const plans = ['free', 'free', 'pro', 'business'] as const;

const store = useConsole();

/**
 * Adds API keys to the database, with the usage of the last day. Some requests of these keys were
 * denied.
 */
async function writeDay(): Promise<void> {
  const { db } = store.service.database;
  const random = createSeededRandom(29);
  const now = Date.now();
  // The creation dates of the existing API keys are set back, so that these keys move to the end of
  // the list.
  await db.execute(sql`update api_keys set created_at = now() - interval '2 years'`);
  for (let n = 0; n < 48; n++) {
    const plan = plans[Math.floor(random() * 4)] ?? 'free';
    const customer = n % customers.length;
    const name = `${customers[customer]}, ${purposes[n % purposes.length]}`;
    const json = JSON.stringify({ name, account: `C-${1_040 + customer}`, plan });
    const { id } = (await store.admin.create(json)).key;
    const days = `${Math.floor(random() * 500)} days`;
    await db.execute(
      sql`update api_keys set created_at = now() - ${days}::interval where id = ${id}`,
    );
    const minutes = [
      ...Array.from({ length: 12 }, (_, hour) => 120 * (hour + 1)),
      ...Array.from({ length: n < 12 ? 60 : 0 }, (_, minute) => minute + 1),
    ].filter(() => random() < 0.6);
    const entries = minutes.map((minute) => {
      const outcome = random() > 0.85 ? 'denied' : random() > 0.8 ? 'client_error' : 'ok';
      const most = outcome === 'denied' ? 10 : 40 * (1 + planCode(plan));
      const requests = Math.ceil(random() * most);
      return entryOf(id, now - minute * 60_000, { plan: planCode(plan), outcome, requests });
    });
    // The usage is written as if a replica had sent it two minutes ago. Otherwise the overview
    // would show this usage as traffic of the last minute.
    await writeUsage(db, entries, {}, 120_000);
  }
}

test('the campaign takes screenshots of all pages of the console, including the screenshots in the README', async () => {
  const { admin, service, open, createOperator, bannedKey } = store;
  await writeDay();
  const busy = await admin.create('{"name":"Koi Garden, app","account":"C-1049","plan":"pro"}');
  for (let n = 0; n < 200; n++)
    await service.call(n % 4 === 0 ? '/pets/1' : '/pets', { token: busy.token });
  const banned = await bannedKey({ name: 'Aquaria, import', account: 'C-1042' });
  for (let n = 0; n < 80; n++) await service.call('/pets', { token: banned.token });
  const json = '{"plan":"enterprise","quota":{"perMinute":600,"perDay":9000}}';
  await admin.call('/accounts/C-1050', { method: 'PUT', json });
  await createOperator('viewer');
  const pages = {
    overview: 'overview',
    keys: 'keys',
    'keys-empty': 'keys?name=nobody',
    key: `key/${busy.key.id}`,
    'key-banned': `key/${banned.id}`,
    'new-key': 'new-key',
    accounts: 'accounts',
    account: 'account/C-1042',
    audit: 'audit',
    deprecation: 'deprecation',
    operators: 'operators',
  };
  for (const width of [1920, 1440, 1280, 1024, 768, 360]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width, height: 900 };
      await using tab = await open({ viewport, colorScheme, reducedMotion: 'reduce' });
      for (const [page, link] of Object.entries(pages)) {
        const name = `${page}-${width}-${colorScheme}`;
        await tab.show(`#/${link}`);
        await tab.page.screenshot({ path: `${folder}${name}.png`, fullPage: true });
        const inReadme = readmePictures[name];
        if (inReadme !== undefined) await tab.page.screenshot({ path: readmeFolder + inReadme });
      }
    }
  }
});
