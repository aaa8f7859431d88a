import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type PlanName, planNames } from '@animal-store/contract';
import type { Overview } from '@animal-store/contract/admin';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { sql } from 'drizzle-orm';
import { inject, test, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { planCode } from '../../src/usage/usage-entry.ts';
import { useConsole } from '../support/use-console.ts';
import { entryOf, writeUsage } from '../support/write-usage.ts';

// Pictures of every page of the console, to be looked at, of a service as it may look after a month. They are
// left in `node_modules/.screenshots` of the server, and the two of the README in `docs/images`.

const folder = fileURLToPath(new URL('../../node_modules/.screenshots/', import.meta.url));
const readmeFolder = fileURLToPath(new URL('../../../../docs/images/', import.meta.url));
/** The pictures of the README, by what they show: each of one screen. */
const readmePictures: Readonly<Record<string, string>> = {
  'overview-1440-light': 'console-overview.png',
  'keys-1440-dark': 'console-keys.png',
};

const customers = [
  ...['Nordic Paws', 'Happy Tails', 'Aquaria', 'City Zoo Basel', 'Feather & Co', 'Reptile House'],
  ...['Pet Finder', 'Stable Mates', 'Wild Rescue', 'Koi Garden', 'Bark Street', 'Meow Market'],
];
const purposes = ['web shop', 'mobile app', 'nightly import', 'partner feed', 'staging'];

const store = useConsole();

test('every page, at each width, light and dark', async () => {
  const pages = await openBusyStore();
  mkdirSync(folder, { recursive: true });
  for (const width of [1920, 1440, 1280, 1024, 768, 360]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width, height: 900 };
      await using tab = await store.open({ viewport, colorScheme, reducedMotion: 'reduce' });
      for (const [name, link] of Object.entries(pages)) {
        await tab.show(`#/${link}`);
        const picture = `${name}-${width}-${colorScheme}`;
        await tab.page.screenshot({ path: `${folder}${picture}.png`, fullPage: true });
        const inReadme = readmePictures[picture];
        if (inReadme !== undefined) await tab.page.screenshot({ path: readmeFolder + inReadme });
      }
    }
  }
});

/** Creates keys with a history of 30 days and some requests of now. @returns links to all pages, by their names. */
async function openBusyStore(): Promise<Readonly<Record<string, string>>> {
  const { service, admin, createOperator, statusOf } = store;
  const { db, close } = await service.database.open();
  const keys = await createKeysWithHistory(db, createSeededRandom(inject('campaign').seed));
  await close();
  const [, busy, banned, suspended, limited] = keys;
  const reason = encodeURIComponent('Contract 2026-118');
  await createOperator('viewer');
  await admin.call(`/keys/${suspended?.id}/suspend?reason=${reason}`, { method: 'POST' });
  const json = '{"plan":"business"}';
  await admin.call(`/keys/${busy?.id}?reason=${reason}`, { method: 'PATCH', json });
  await admin.call(`/accounts/${limited?.account}`, {
    method: 'PUT',
    json: '{"plan":"enterprise","quota":{"perMinute":600,"perDay":120}}',
  });
  for (const { token } of [limited, busy, banned].flatMap((key) => key ?? []))
    for (let n = 0; n < 140; n++) await statusOf(token);
  // Until the service has flushed what it counted: an overview without traffic shows nothing.
  await vi.waitUntil(async () => {
    const { traffic } = (await admin.call('/overview')).body as Overview;
    return traffic.requests.banned > 0;
  });
  return {
    ...{ overview: 'overview', keys: 'keys', 'keys-empty': 'keys?name=nobody' },
    ...{ key: `key/${busy?.id}`, 'key-banned': `key/${banned?.id}`, 'new-key': 'new-key' },
    ...{ accounts: 'accounts', account: `account/${limited?.account}`, audit: 'audit' },
    ...{ deprecation: 'deprecation', operators: 'operators' },
  };
}

/** A day has a night, a week has a weekend, and now and then somebody is denied. */
async function createKeysWithHistory(db: Database, random: () => number) {
  // Those of the test service come last.
  await db.execute(sql`update api_keys set created_at = now() - interval '600 days'`);
  const keys: { id: string; token: string; account: string; plan: PlanName; weight: number }[] = [];
  for (let n = 0; n < 64; n++) {
    const name = `${customers[n % customers.length]}, ${purposes[n % purposes.length]}`;
    const account = `C-${1_040 + (n % customers.length)}`;
    const plan = n === 2 ? 'free' : (planNames[Math.floor(random() ** 1.5 * 4)] ?? 'free');
    const quota = { perMinute: 5_000, perDay: 900_000 };
    const limits = plan === 'enterprise' ? { plan, quota } : { plan };
    const { id, token } = await createApiKey(db, { name, account, ...limits });
    const expiresInDays = n % 9 === 4 ? 40 : n % 13 === 9 ? -3 : null;
    await db.execute(sql`update api_keys set
      created_at = now() - make_interval(days => ${Math.floor(random() * 500)}),
      expires_at = now() + make_interval(days => ${expiresInDays}::int) where id = ${id}`);
    keys.push({ id, token, account, plan, weight: 1 + planCode(plan) * random() * 60 });
  }
  const thisMinute = Math.floor(Date.now() / 60_000);
  const write = async (minute: number, minutes: number, some: typeof keys) => {
    const time = new Date(minute * 60_000);
    const daily = 1.2 + Math.sin(((time.getUTCHours() - 8) / 24) * 2 * Math.PI);
    const weekly = time.getUTCDay() % 6 === 0 ? 0.4 : 1;
    const entries = some.map(({ id, plan, weight }) => {
      const isDenied = random() > 0.85;
      const share = isDenied ? 0.2 : 1;
      return entryOf(id, time, {
        plan: planCode(plan),
        operation:
          (['listPets', 'createPet', 'getPet'] as const)[Math.floor(random() ** 3 * 3)] ??
          'listPets',
        outcome: isDenied ? 'denied' : random() > 0.8 ? 'client_error' : 'ok',
        requests: Math.ceil(weight * daily * weekly * minutes * share * random()),
      });
    });
    // By a replica that is gone: otherwise it would count among those that answered in the last minute.
    await writeUsage(db, entries, {}, 120_000);
  };
  for (let hour = 30 * 24; hour >= 2; hour -= 2)
    await write(
      thisMinute - hour * 60,
      6,
      keys.filter((_, n) => n < 3 || random() < 0.3),
    );
  for (let minute = 90; minute > 0; minute -= 1)
    await write(thisMinute - minute, 1, keys.slice(0, 12));
  return keys;
}
