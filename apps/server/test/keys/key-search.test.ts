import { planNames } from '@animal-store/contract';
import { type KeyFilter, keySorts, keyStates, usageOutcomes } from '@animal-store/contract/admin';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ListPosition } from '../../src/database/list-page.ts';
import { countFoundKeys, searchKeys } from '../../src/keys/key-search.ts';
import { databaseKinds, useDatabase } from '../support/databases.ts';

const dayMs = 86_400_000;

/** A key as the model sees it. Times are so many days ago; negative ones are to come. */
interface ModelKey {
  readonly id: string;
  readonly name: string | null;
  readonly account: string | null;
  readonly plan: (typeof planNames)[number];
  readonly created: number;
  readonly expired: number | null;
  readonly revoked: boolean;
  readonly suspended: boolean;
  readonly banned: boolean;
  readonly used: number | null;
  readonly deprecated: number | null;
  /** Requests of today, and those of them that were denied. */
  readonly requests: number;
  readonly denials: number;
  /** The first characters of its tokens. */
  readonly prefixes: readonly string[];
}

const suspendedAccount = 'Zoo';

/** What an Enterprise key may do in a day: some have done nearly so much. */
const ownLimit = 3;

const names = [null, 'acme', 'Acme 2', 'ACME_3', 'Acme%4', 'other', 'a\\b', 'Zürich', 'twin'];
const accounts = [null, 'A', 'a', suspendedAccount, 'acme'];

/** Many are made at once, by a migration of customers, say: their times are equal. */
const keys: readonly ModelKey[] = Array.from({ length: 90 }, (_, n) => ({
  id: `${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`,
  name: names[n % names.length] ?? null,
  account: accounts[n % accounts.length] ?? null,
  plan: planNames[(n >> 1) % planNames.length] ?? 'free',
  created: 100.5 + (n % 4),
  expired: [null, 1, 2, -9][n % 7] ?? null,
  revoked: n % 6 === 5,
  suspended: n % 11 === 3,
  banned: n % 13 === 4,
  used: [null, 1, 50, 99][n % 5] ?? null,
  deprecated: [null, 1, 60][n % 4] ?? null,
  requests: n % 5,
  denials: n % 5 === 4 ? (n % 3) + 1 : 0,
  prefixes: [`ast_${String(n % 8).padStart(4, '0')}`, ...(n % 10 === 0 ? ['ast_zzzz'] : [])],
}));

const stateOf = (key: ModelKey) => {
  if (key.revoked) return 'revoked';
  if (key.expired !== null && key.expired > 0) return 'expired';
  return key.suspended || key.account === suspendedAccount ? 'suspended' : 'active';
};
const lower = (text: string | null) => text?.toLowerCase() ?? '';
/** As a search compares: "zurich" finds "Zürich". */
const folded = (text: string | null) => lower(text).normalize('NFD').replaceAll(/\p{M}/gu, '');
const lastUse = (key: ModelKey) => key.used ?? key.created;

/** What a filter leaves, in the order that it asks for. */
function expectedOf(filter: KeyFilter): string[] {
  const { search, sort } = filter;
  const text = folded(search ?? null);
  const found = keys.filter(
    (key) =>
      (filter.plan === undefined || key.plan === filter.plan) &&
      (filter.state === undefined || stateOf(key) === filter.state) &&
      (filter.name === undefined || lower(key.name).startsWith(lower(filter.name))) &&
      (filter.account === undefined || key.account === filter.account) &&
      (filter.tokenPrefix === undefined || key.prefixes.includes(filter.tokenPrefix)) &&
      (filter.banned === undefined || key.banned) &&
      (filter.expiresWithinDays === undefined ||
        (key.expired !== null &&
          !key.revoked &&
          key.expired < 0 &&
          -key.expired < filter.expiresWithinDays)) &&
      (filter.nearLimit === undefined ||
        (key.plan === 'enterprise' && key.requests - key.denials >= 0.8 * ownLimit)) &&
      (filter.unusedForDays === undefined || lastUse(key) > filter.unusedForDays) &&
      (filter.deprecatedWithinDays === undefined ||
        (key.deprecated !== null && key.deprecated < filter.deprecatedWithinDays)) &&
      (search === undefined ||
        folded(key.name).includes(text) ||
        folded(key.account).includes(text) ||
        (text.length > 3 && key.id.startsWith(text)) ||
        key.prefixes.includes(search)),
  );
  const places: Record<string, (key: ModelKey) => (string | number)[]> = {
    name: (key) => [lower(key.name)],
    created: (key) => [-key.created],
    lastUse: (key) => [-lastUse(key)],
    plan: (key) => [planNames.indexOf(key.plan), -key.created],
    expiry: (key) => [-(key.expired ?? 0)],
    deprecatedCall: (key) => [-(key.deprecated ?? 0)],
  };
  const newest = () =>
    found
      .toSorted((one, other) => compare([-one.created, one.id], [-other.created, other.id]))
      .toReversed();
  if (sort === 'state' || sort === '-state') {
    const states = sort === 'state' ? keyStates : keyStates.toReversed();
    return states
      .flatMap((state) => newest().filter((key) => stateOf(key) === state))
      .map(({ id }) => id);
  }
  if (sort === '-requests' || sort === '-denials') {
    const count = sort === '-requests' ? 'requests' : 'denials';
    const counted = found
      .filter((key) => key[count] > 0)
      .sort((one, other) => compare([one[count], one.id], [other[count], other.id]))
      .reverse();
    return [...counted, ...newest().filter((key) => key[count] === 0)].map(({ id }) => id);
  }
  const by = sort?.replace('-', '') ?? usualOrderOf(filter);
  const isDescending =
    sort === undefined
      ? by !== 'name' && !(by === 'expiry' && filter.expiresWithinDays !== undefined)
      : sort.startsWith('-');
  const placeOf = (key: ModelKey) => [...(places[by]?.(key) ?? []), key.id];
  const sorted = found.toSorted((one, other) => compare(placeOf(one), placeOf(other)));
  return (isDescending ? sorted.toReversed() : sorted).map(({ id }) => id);
}

function usualOrderOf(filter: KeyFilter): string {
  const { banned, tokenPrefix, account, search } = filter;
  if ((banned ?? tokenPrefix ?? account ?? search) !== undefined) return 'created';
  if (filter.name !== undefined) return 'name';
  if (filter.deprecatedWithinDays !== undefined) return 'deprecatedCall';
  if (filter.expiresWithinDays !== undefined) return 'expiry';
  if (filter.unusedForDays !== undefined) return 'lastUse';
  return filter.state === 'expired' ? 'expiry' : 'created';
}

function compare(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  const index = one.findIndex((part, n) => part !== other[n]);
  if (index < 0) return 0;
  return (one[index] ?? 0) < (other[index] ?? 0) ? -1 : 1;
}

const texts = [
  'cme',
  'ACME',
  'acme ',
  'me%',
  'me_',
  '\\',
  'zü',
  'ZUR',
  'a',
  'A',
  'twinA',
  'nobody',
];
const filters: fc.Arbitrary<KeyFilter> = fc.record(
  {
    plan: fc.constantFrom(...planNames),
    state: fc.constantFrom(...keyStates),
    name: fc.constantFrom(...texts),
    account: fc.constantFrom('A', 'a', suspendedAccount, 'nobody'),
    tokenPrefix: fc.constantFrom('ast_0003', 'ast_zzzz', 'ast_none'),
    search: fc.constantFrom(...texts, 'ast_0003', 'ast_zzzz', '0000', '9e37', keys[3]?.id ?? ''),
    banned: fc.constant('true' as const),
    deprecatedWithinDays: fc.constantFrom(2, 80),
    unusedForDays: fc.constantFrom(2, 60, 102),
    expiresWithinDays: fc.constantFrom(5, 20),
    nearLimit: fc.constant('true' as const),
    sort: fc.constantFrom(...keySorts),
  },
  { requiredKeys: [] },
);
/** A few filters at a time, or hardly anything would be found. */
const fewFilters = fc
  .tuple(filters, fc.nat(), fc.integer({ min: 0, max: 3 }))
  .map(([filter, first, count]): KeyFilter => {
    const given = Object.entries(filter);
    const start = first % (given.length || 1);
    return Object.fromEntries([...given, ...given].slice(start, start + count));
  });

describe.each(databaseKinds)('the search of keys on %s', (kind) => {
  const database = useDatabase(kind);

  async function pagesOf(filter: KeyFilter, limit: number) {
    const pages: string[][] = [];
    let position: ListPosition | undefined;
    do {
      const { items, next } = await searchKeys(database.db, filter, limit, position);
      pages.push(items.map(({ id }) => id));
      position = next;
    } while (position !== undefined);
    return pages;
  }

  beforeAll(async () => {
    const { db } = database;
    const now = Date.now();
    const at = (daysAgo: number | null) =>
      daysAgo === null ? null : new Date(now - daysAgo * dayMs).toISOString();
    const insert = (table: string, rows: readonly unknown[][]) => {
      const list = (parts: ReturnType<typeof sql>[]) => sql.join(parts, sql`, `);
      const values = rows.map((row) => sql`(${list(row.map((value) => sql`${value}`))})`);
      return db.execute(sql`insert into ${sql.raw(table)} values ${list(values)}`);
    };
    await insert(
      `api_keys (id, name, account, plan, per_minute, per_day, created_at, expires_at, revoked_at,
        suspended_at)`,
      keys.map(({ id, name, account, plan, created, expired, revoked, suspended }) => {
        const number = plan === 'enterprise' ? ownLimit : null;
        const states = [at(expired), at(revoked ? 3 : null), at(suspended ? 3 : null)];
        return [id, name, account, plan, number, number, at(created), ...states];
      }),
    );
    await db.execute(sql`delete from usage.last_used`);
    await insert(
      'usage.last_used (key_id, created_at, at, deprecated_at)',
      keys.map(({ id, created, used, deprecated }) => [id, at(created), at(used), at(deprecated)]),
    );
    const counts = keys.flatMap(({ id, created, requests, denials }) =>
      (
        [
          ['ok', requests - denials, 0],
          ['denied', denials - 1, 0],
          ['banned', Math.min(denials, 1), 0],
          // Yesterday's do not count.
          ['ok', Math.ceil(9 + (created % 3)), 1],
          ['banned', 3, 1],
        ] as const
      ).map(([outcome, requests, days]) => {
        const day = new Date(now - (now % dayMs) - days * dayMs).toISOString();
        return [id, day, requests, 1440, 1, usageOutcomes.indexOf(outcome)] as const;
      }),
    );
    await insert(
      'usage.counts (key_id, at, requests, span, operation, outcome)',
      counts.filter(([, , requests]) => requests > 0).map((row) => [...row]),
    );
    // A ban that has ended besides.
    await insert(
      'open_bans',
      keys.map(({ id, banned }) => [id, at(2), at(banned ? -1 : 1)]),
    );
    await insert(
      'api_tokens (hash, key_id, prefix, expires_at)',
      keys.flatMap(({ id, prefixes }) =>
        prefixes.map((prefix) => [
          `${id} ${prefix}`,
          id,
          prefix,
          prefix === 'ast_zzzz' ? at(1) : null,
        ]),
      ),
    );
    await db.execute(
      sql`update accounts set suspended_at = now() where name = ${suspendedAccount}`,
    );
  });

  test.each<[KeyFilter, number]>([
    [{}, 90],
    [{ name: 'acme' }, 40],
    [{ name: 'acme%' }, 10],
    [{ name: 'acme_' }, 10],
    [{ name: 'acme\\' }, 0],
    [{ search: 'CME' }, 50],
    [{ search: 'me%' }, 10],
    // The end of a name and the start of an account.
    [{ search: 'twinA' }, 0],
    [{ account: 'A' }, 18],
    [{ banned: 'true' }, 7],
    [{ tokenPrefix: 'ast_zzzz' }, 9],
    [{ expiresWithinDays: 20 }, 11],
    [{ nearLimit: 'true' }, 6],
  ])('%j finds so many: %i', async (filter, count) => {
    expect((await pagesOf(filter, 7)).flat()).toHaveLength(count);
    expect(await countFoundKeys(database.db, filter)).toBe(count);
  });

  test('finds what matches every filter, in order, each key on one page', async () => {
    const property = fc.asyncProperty(
      fewFilters,
      fc.constantFrom(7, 100),
      async (filter, limit) => {
        const pages = await pagesOf(filter, limit);
        expect(pages.flat()).toEqual(expectedOf(filter));
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
        expect(pages.at(-1)?.length ?? 0).toBeLessThanOrEqual(limit);
      },
    );
    // The embedded one is slower, and differs by its locale only.
    await fc.assert(property, { seed: 1, numRuns: kind === 'postgres' ? 80 : 15 });
  });

  test('a list tells until when a key is banned', async () => {
    const { items } = await searchKeys(database.db, {}, 100, undefined);
    for (const { id, bannedUntil } of items) {
      const isBanned = keys.find((key) => key.id === id)?.banned;
      expect(bannedUntil).toEqual(isBanned ? expect.stringMatching(/^\d{4}-.*T.*Z$/) : null);
    }
  });
});
