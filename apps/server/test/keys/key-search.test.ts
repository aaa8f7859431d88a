import type { KeyFilter, UsageOutcome } from '@animal-store/admin-contract';
import type { PlanName } from '@animal-store/contract';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { countFoundKeys, searchKeys } from '../../src/keys/key-search.ts';
import type { ListPosition } from '../../src/schema/list-page.ts';
import { accounts, apiKeys, apiTokens, openBans } from '../../src/schema/schema.ts';
import { lastUsed } from '../../src/usage/usage-tables.ts';
import { databaseKinds, useDatabase } from '../support/databases.ts';
import { entryOf, writeUsage } from '../support/write-usage.ts';

const dayMs = 86_400_000;
const now = Date.now();
const daysAgo = (days: number | undefined) =>
  days === undefined ? null : new Date(now - days * dayMs).toISOString();

/**
 * An API key that the test stores. Times are given as numbers of days ago. Negative numbers are in
 * the future.
 */
interface StoredKey
  extends Partial<Record<'expires' | 'revoked' | 'suspended' | 'used' | 'deprecated', number>> {
  readonly name?: string;
  readonly account?: string;
  readonly plan: PlanName;
  readonly created: number;
  readonly bans?: readonly number[];
  readonly tokens?: readonly (readonly [prefix: string, expires?: number])[];
  /** The number of today's requests, by outcome. */
  readonly today?: Partial<Record<UsageOutcome, number>>;
}

/** The daily limit of the Enterprise keys in the test. */
const ownLimit = 3;

/**
 * The API keys of the test. The name of each property is the first digit of the key's id. The
 * account `Zoo` is suspended, and the account `Ltd` has the plan Pro.
 */
const keys: Readonly<Record<string, StoredKey>> = {
  a: { name: 'acme', plan: 'free', created: 100 },
  b: {
    ...{ name: 'Acme 2', account: 'A', plan: 'pro', created: 99, used: 0.5, deprecated: 1 },
    today: { ok: 1, denied: 1 },
  },
  // This API key was created at the same time as the previous one. Such keys exist when keys are
  // imported from another system.
  c: { name: 'ACME_3', account: 'a', plan: 'business', created: 99, used: 60 },
  d: {
    ...{ name: 'Acme%4', account: 'Zoo', plan: 'enterprise', created: 98, used: 2.5 },
    today: { ok: 1, client_error: 1, server_error: 1 },
  },
  e: { account: 'acme', plan: 'free', created: 97, revoked: 3, expires: -2, bans: [-1] },
  f: {
    ...{ name: 'a\\b e\u0301', plan: 'enterprise', created: 96, used: 0.2, expires: -9 },
    today: { ok: 2, denied: 1, banned: 1 },
  },
  1: { name: 'Zürich', plan: 'pro', created: 3, expires: 1, bans: [0.1] },
  2: { name: 'twin', account: 'A', plan: 'business', created: 2, expires: -4, bans: [-1, -2, 1] },
  3: {
    ...{ name: 'other', account: 'Ltd', plan: 'enterprise', created: 1, suspended: 0.5 },
    ...{ bans: [-3], today: { ok: 3 } },
  },
  4: {
    ...{ name: 'other', plan: 'free', created: 50, expires: 2, suspended: 3, deprecated: 60 },
    ...{ bans: [-1], tokens: [['ast_0003'], ['ast_zzzz', 1]] },
  },
};

const idOf = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
const newest = '3214fedcba';

describe.each(databaseKinds)('database %s', (kind) => {
  const database = useDatabase(kind);

  beforeAll(async () => {
    const { db } = database;
    for (const [digit, key] of Object.entries(keys)) {
      const { name, account, plan, bans = [], tokens = [], today = {} } = key;
      const id = idOf(digit);
      const number = plan === 'enterprise' ? ownLimit : null;
      await db.insert(apiKeys).values({
        ...{ id, name: name ?? null, account: account ?? null, plan },
        ...{ perMinute: number, perDay: number },
        createdAt: daysAgo(key.created) ?? '',
        expiresAt: daysAgo(key.expires),
        revokedAt: daysAgo(key.revoked),
        suspendedAt: daysAgo(key.suspended),
      });
      for (const days of bans) {
        const startedAt = daysAgo(2 + days) ?? '';
        await db.insert(openBans).values({ keyId: id, startedAt, until: daysAgo(days) ?? '' });
      }
      for (const [prefix, expires] of tokens) {
        const hash = `${id} ${prefix}`;
        await db
          .insert(apiTokens)
          .values({ hash, holderId: id, prefix, expiresAt: daysAgo(expires) });
      }
      await writeUsage(db, [
        ...Object.entries(today).map(([outcome, requests]) =>
          entryOf(id, now, { outcome: outcome as UsageOutcome, requests }),
        ),
        // These requests were made yesterday. A list that is sorted by today's requests must not
        // count them.
        entryOf(id, now - dayMs, { requests: 9 }),
        entryOf(id, now - dayMs, { outcome: 'banned', requests: 9 }),
      ]);
      await db
        .update(lastUsed)
        .set({ at: daysAgo(key.used), deprecatedAt: daysAgo(key.deprecated) })
        .where(eq(lastUsed.keyId, id));
    }
    await db
      .update(accounts)
      .set({ suspendedAt: daysAgo(1) })
      .where(eq(accounts.name, 'Zoo'));
    await db.update(accounts).set({ plan: 'pro' }).where(eq(accounts.name, 'Ltd'));
  });

  test.each<[filter: KeyFilter, found: string]>([
    [{}, newest],
    [{ name: 'acme' }, 'abdc'],
    [{ name: 'acme%' }, 'd'],
    [{ name: 'ACME_' }, 'c'],
    [{ name: 'a\\' }, 'f'],
    [{ name: 'cme' }, ''],
    [{ search: 'CME' }, 'edcba'],
    [{ search: 'me%' }, 'd'],
    [{ search: 'zurich' }, '1'],
    [{ search: 'ZÜ' }, '1'],
    // A letter with an accent can be one character, or a letter and a combining character.
    [{ search: 'zu\u0308' }, '1'],
    [{ search: 'b \u00e9' }, 'f'],
    // The search text is the end of a name followed by the start of an account. It is not a part of
    // either text, so the search must not find it.
    [{ search: 'twinA' }, ''],
    [{ search: 'eeee' }, 'e'],
    [{ search: 'EEEEEEEE-00' }, 'e'],
    [{ search: idOf('e') }, 'e'],
    // The search looks for the start of an id only if the search text has more than three
    // characters.
    [{ search: 'eee' }, ''],
    [{ search: 'ast_0003' }, '4'],
    [{ search: 'ast_none' }, ''],
    [{ search: 'xast_0003' }, ''],
    [{ account: 'A' }, '2b'],
    // The filter uses the plan that applies to a key. This is the plan of the account if the
    // account has a plan.
    [{ plan: 'free' }, '4ea'],
    [{ plan: 'pro' }, '31b'],
    [{ plan: 'enterprise' }, 'fd'],
    [{ state: 'active' }, '2fcba'],
    [{ state: 'suspended' }, '3d'],
    [{ state: 'expired' }, '14'],
    [{ state: 'revoked' }, 'e'],
    [{ banned: 'true' }, '32'],
    [{ tokenPrefix: 'ast_zzzz' }, '4'],
    [{ expiresWithinDays: 20 }, '2f'],
    [{ expiresWithinDays: 5 }, '2'],
    [{ nearLimit: 'true' }, 'd'],
    [{ unusedForDays: 5 }, '4cea'],
    [{ unusedForDays: 80 }, 'ea'],
    [{ deprecatedWithinDays: 80 }, 'b4'],
    [{ deprecatedWithinDays: 2 }, 'b'],
    [{ sort: 'name' }, 'efabdc3421'],
    [{ sort: '-name' }, '1243cdbafe'],
    [{ sort: 'created' }, 'abcdef4123'],
    [{ sort: '-created' }, newest],
    [{ sort: 'lastUse' }, 'aec41d23bf'],
    [{ sort: '-lastUse' }, 'fb32d14cea'],
    [{ sort: 'plan' }, 'ae4b1c2df3'],
    [{ sort: 'state' }, '2fcba3d14e'],
    [{ sort: '-state' }, 'e143d2fcba'],
    [{ sort: '-requests' }, 'fd3b214eca'],
    [{ sort: '-denials' }, 'fb3214edca'],
    // With several filters, the first one determines the sort order.
    [{ account: 'A', name: 't' }, '2'],
    [{ name: 'a', plan: 'enterprise', unusedForDays: 1 }, 'd'],
    [{ name: 'a', unusedForDays: 5 }, 'ac'],
    [{ search: 'acme', sort: '-name' }, 'cdbae'],
    [{ state: 'active', sort: '-requests' }, 'fb2ca'],
  ])(
    'searchKeys with the filter %j returns exactly the API keys %s (each character stands for one API key), over several pages',
    async (filter, found) => {
      const pages: string[] = [];
      let position: ListPosition | undefined;
      do {
        const { items, next } = await searchKeys(database.db, filter, 3, position);
        pages.push(items.map(({ id }) => id[0]).join(''));
        position = next;
      } while (position !== undefined);
      expect(pages).toEqual(found.match(/.{1,3}/g) ?? ['']);
      expect(await countFoundKeys(database.db, filter)).toBe(found.length);
    },
  );

  test('searchKeys returns the end of the ban for each banned API key that is neither revoked nor expired', async () => {
    const { items } = await searchKeys(database.db, {}, 100, undefined);
    const banned = items.filter(({ bannedUntil }) => bannedUntil !== null);
    expect(banned.map(({ id, bannedUntil }) => [id[0], bannedUntil])).toEqual([
      ['3', daysAgo(-3)],
      ['2', daysAgo(-2)],
    ]);
  });
});
