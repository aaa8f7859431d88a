// Measures every way to list keys, in a Postgres of its own that is full of them:
//
//   pnpm --filter @animal-store/server run key-search [keys] [--plans]
//
// Prints the time that Postgres takes for a page, all its statements together. `--plans` prints how.

import { parseArgs } from 'node:util';
import { type KeyFilter, keySorts } from '@animal-store/contract/admin';
import { openPostgres } from '@animal-store/testkit';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import type { ListPosition } from '../../src/database/list-page.ts';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import * as schema from '../../src/database/schema.ts';
import { searchKeys } from '../../src/keys/key-search.ts';
import { fillKeys } from '../support/fill-keys.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { plans: { type: 'boolean', default: false } },
});
const count = Number(positionals[0] ?? 1_000_000);

/** A filter alone finds nothing, a few keys, or most. Then what several find together. */
const searches: readonly KeyFilter[] = [
  {},
  ...(['free', 'enterprise'] as const).map((plan) => ({ plan })),
  ...(['active', 'suspended', 'expired', 'revoked'] as const).map((state) => ({ state })),
  { plan: 'enterprise', state: 'active' },
  { plan: 'enterprise', state: 'expired' },
  { plan: 'enterprise', state: 'revoked' },
  { plan: 'free', state: 'expired' },
  { plan: 'free', state: 'revoked' },
  { name: 'nobody' },
  { name: 'ZEBRA' },
  { name: 'client' },
  { account: 'nobody' },
  { account: 'A-77' },
  { account: 'big' },
  { tokenPrefix: 'ast_~~~~' },
  { tokenPrefix: 'ast_0001' },
  { search: 'cl' },
  { search: 'lient' },
  { search: 'ebra 1' },
  { search: 'ent 9999' },
  { search: '12345' },
  { search: 'a-77' },
  { search: 'nobody' },
  { search: 'ast_0001' },
  { search: '0f8fad5b' },
  { search: 'ebra', state: 'revoked' },
  { search: 'ebra', sort: 'name' },
  { deprecatedWithinDays: 1 },
  { deprecatedWithinDays: 30 },
  { deprecatedWithinDays: 400 },
  { unusedForDays: 1 },
  { unusedForDays: 90 },
  { unusedForDays: 400 },
  { account: 'big', state: 'revoked' },
  { account: 'big', state: 'expired' },
  { account: 'big', plan: 'enterprise' },
  { account: 'big', name: 'zebra' },
  { account: 'big', deprecatedWithinDays: 1 },
  { account: 'big', unusedForDays: 400 },
  { name: 'client', state: 'revoked' },
  { name: 'client', plan: 'enterprise', state: 'expired' },
  { name: 'client', unusedForDays: 90 },
  { deprecatedWithinDays: 30, plan: 'enterprise', state: 'expired' },
  { unusedForDays: 90, state: 'active' },
  { unusedForDays: 90, plan: 'enterprise', state: 'expired' },
  { unusedForDays: 1, deprecatedWithinDays: 30 },
  ...keySorts.map((sort) => ({ sort })),
  ...keySorts.map((sort) => ({ sort, account: 'A-77' })),
  ...keySorts.map((sort) => ({ sort, account: 'big' })),
  ...keySorts.map((sort) => ({ sort, plan: 'enterprise' as const })),
  ...keySorts.map((sort) => ({ sort, name: 'zebra' })),
  ...keySorts.map((sort) => ({ sort, state: 'expired' as const })),
  ...keySorts.map((sort) => ({ sort, state: 'active' as const })),
  ...keySorts.map((sort) => ({ sort, unusedForDays: 400 })),
];

await using server = await openPostgres({ storage: 'disk' });
const { url } = await server.createDatabase();
await migratePostgres(url);

/** What Postgres says of the statements that it has executed. */
let said: string[] = [];
const client = postgres(url, { max: 1, onnotice: ({ message = '' }) => said.push(message) });
const db = drizzle({ client, schema });

const startedAt = performance.now();
await fillKeys(db, count);
write(`${count} keys, made in ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
await client`load 'auto_explain'`;
await client`set client_min_messages = log`;
await client`set auto_explain.log_min_duration = 0`;
await client`set auto_explain.log_analyze = on`;
await client`set auto_explain.log_timing = off`;

write('found  first page  with planning  fifth page  filter\n');
for (const filter of searches) {
  await page(filter, undefined);
  const first = await page(filter, undefined);
  let position = first.next;
  let later = first;
  for (let n = 2; n <= 5 && position !== undefined; n += 1) {
    later = await page(filter, position);
    position = later.next;
  }
  const columns = [
    String(first.found).padStart(5),
    ms(first.databaseMs).padStart(10),
    ms(first.wallMs).padStart(13),
    ms(later.databaseMs).padStart(10),
    JSON.stringify(filter),
  ];
  write(`${columns.join('  ')}\n`);
  if (values.plans) write(`${first.plans}\n`);
}
await client.end();

async function page(filter: KeyFilter, position: ListPosition | undefined) {
  said = [];
  const startedAt = performance.now();
  const { items: keys, next } = await searchKeys(db, filter, 20, position);
  const wallMs = performance.now() - startedAt;
  const durations = said.map((message) => Number(/^duration: ([\d.]+) ms/.exec(message)?.[1] ?? 0));
  return {
    found: keys.length,
    next,
    wallMs,
    databaseMs: durations.reduce((sum, duration) => sum + duration, 0),
    plans: said.join('\n'),
  };
}

function ms(duration: number): string {
  return `${duration.toFixed(1)} ms`;
}

function write(text: string): void {
  process.stdout.write(text);
}
