import { setTimeout } from 'node:timers/promises';
import { planNames } from '@animal-store/contract';
import type { Overview } from '@animal-store/contract/admin';
import { type Server, startServer, temporaryDirectory } from '@animal-store/testkit';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/database/database.ts';
import { openEmbedded } from '../../src/database/open-embedded.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { planCode, type UsageEntry } from '../../src/usage/usage-entry.ts';
import { entryOf, writeUsage } from '../support/write-usage.ts';

/** The admin token of the service. */
export const adminToken = 'an-admin-token-for-pictures';

/** A service as it may look after a month, for pictures of the console. */
export type SampleService = AsyncDisposable & {
  readonly server: Server;
  /** A key with a history, and one that is banned. */
  readonly keys: { readonly busy: string; readonly banned: string };
  /** An account that has used up its day. */
  readonly account: string;
};

const customers = [
  ...['Nordic Paws', 'Happy Tails', 'Aquaria', 'City Zoo Basel', 'Feather & Co', 'Reptile House'],
  ...['Pet Finder', 'Stable Mates', 'Wild Rescue', 'Koi Garden', 'Bark Street', 'Meow Market'],
];
const purposes = ['web shop', 'mobile app', 'nightly import', 'partner feed', 'staging'];

type SampleKey = {
  readonly id: string;
  readonly token: string;
  readonly account: string;
  readonly plan: (typeof planNames)[number];
  readonly weight: number;
};

/** Creates keys with a history of 30 days, and starts a service on them. */
export async function startSampleService(): Promise<SampleService> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await temporaryDirectory());
  const dataDir = `${directory.path}/data`;
  const { db, close } = await openEmbedded(dataDir);
  const random = createSeededRandom(29);
  const keys = await createKeys(db, random);
  await writeHistory(db, keys, random);
  await close();
  const server = opened.use(
    await startServer({ dataDir, env: { ADMIN_TOKEN: adminToken, BAN_GRACE_MS: '0' } }),
  );
  const admin = (method: string, path: string, body: object) =>
    send(`${server.opsUrl}/admin/v1${path}`, adminToken, { method, body: JSON.stringify(body) });
  const [busy, banned, suspended, ofAccount] = [keys[1], keys[2], keys[3], keys[10]];
  if (!busy || !banned || !suspended || !ofAccount) throw new Error('There are no keys.');
  await admin('POST', '/operators', { name: 'Support desk', role: 'viewer' });
  const reason = encodeURIComponent('Contract 2026-118');
  await admin('POST', `/keys/${suspended.id}/suspend?reason=${reason}`, {});
  await admin('PATCH', `/keys/${busy.id}?reason=${reason}`, { plan: 'business' });
  const { account } = ofAccount;
  const quota = { perMinute: 600, perDay: 120 };
  await admin('PUT', `/accounts/${account}`, { plan: 'enterprise', quota });
  for (let n = 0; n < 160; n++) await send(`${server.baseUrl}/pets`, ofAccount.token);
  for (let n = 0; n < 140; n++) await send(`${server.baseUrl}/pets`, busy.token);
  for (let n = 0; n < 100; n++) await send(`${server.baseUrl}/pets/1`, banned.token);
  // Until the service has flushed what it counted: an overview without traffic shows nothing.
  for (let denied = 0; denied === 0; await setTimeout(200)) {
    const overview = await send(`${server.opsUrl}/admin/v1/overview`, adminToken);
    denied = (JSON.parse(overview) as Overview).traffic.requests.banned;
  }
  const kept = opened.move();
  return {
    server,
    keys: { busy: busy.id, banned: banned.id },
    account,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function createKeys(db: Database, random: () => number): Promise<SampleKey[]> {
  const keys: SampleKey[] = [];
  for (let n = 0; n < 64; n++) {
    const name = `${customers[n % customers.length]}, ${purposes[n % purposes.length]}`;
    const account = `C-${1_040 + (n % customers.length)}`;
    const plan = n === 2 ? 'free' : (planNames[Math.floor(random() ** 1.5 * 4)] ?? 'free');
    const quota = { perMinute: 5_000, perDay: 900_000 };
    const limits = plan === 'enterprise' ? { plan, quota } : { plan };
    const { id, token } = await createApiKey(db, { name, account, ...limits });
    const age = `${Math.floor(random() * 500)} days ${Math.floor(random() * 1_440)} minutes`;
    await db.execute(sql`update api_keys set created_at = now() - ${age}::interval,
      expires_at = ${n % 9 === 4 ? sql`now() + interval '40 days'` : n % 13 === 9 ? sql`now() - interval '3 days'` : sql`null`}
      where id = ${id}`);
    keys.push({ id, token, account, plan, weight: 1 + planCode(plan) * random() * 60 });
  }
  return keys;
}

/** A day has a night, a week has a weekend, and now and then somebody is denied. */
async function writeHistory(
  db: Database,
  keys: readonly SampleKey[],
  random: () => number,
): Promise<void> {
  const thisMinute = Math.floor(Date.now() / 60_000);
  const operations = ['listPets', 'createPet', 'getPet'] as const;
  const entriesAt = (minute: number, minutes: number, some: readonly SampleKey[]): UsageEntry[] => {
    const time = new Date(minute * 60_000);
    const daily = 1.2 + Math.sin(((time.getUTCHours() - 8) / 24) * 2 * Math.PI);
    const weekly = time.getUTCDay() % 6 === 0 ? 0.4 : 1;
    return some.map(({ id, plan, weight }) => {
      const isDenied = random() > 0.85;
      const share = isDenied ? 0.2 : 1;
      return entryOf(id, time, {
        plan: planCode(plan),
        operation: operations[Math.floor(random() ** 3 * 3)] ?? 'listPets',
        outcome: isDenied ? 'denied' : random() > 0.8 ? 'client_error' : 'ok',
        requests: Math.ceil(weight * daily * weekly * minutes * share * random()),
      });
    });
  };
  // By a replica that is gone: otherwise it would count among those that answered in the last minute.
  const write = (entries: readonly UsageEntry[]) => writeUsage(db, entries, {}, 120_000);
  for (let hour = 30 * 24; hour >= 2; hour -= 2) {
    const some = keys.filter((_, n) => n < 3 || random() < 0.3);
    await write(entriesAt(thisMinute - hour * 60, 6, some));
  }
  for (let minute = 90; minute > 0; minute -= 1) {
    await write(entriesAt(thisMinute - minute, 1, keys.slice(0, 12)));
  }
}

/** Sends a request that may be refused because of a quota, and for no other reason. */
async function send(url: string, token: string, options: RequestInit = {}): Promise<string> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { ...options, headers });
  const text = await response.text();
  const isExpected = response.ok || response.status === 429 || url.endsWith('/pets/1');
  if (!isExpected) throw new Error(`${url}: ${text}`);
  return text;
}
