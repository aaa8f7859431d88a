import type { AccountFilter } from '@animal-store/admin-contract';
import { beforeAll, expect, test } from 'vitest';
import { countFoundAccounts, searchAccounts } from '../../src/accounts/account-search.ts';
import type { ListPosition } from '../../src/schema/list-page.ts';
import { accounts, apiKeys } from '../../src/schema/schema.ts';
import { useDatabase } from '../support/databases.ts';
import { entryOf, writeUsage } from '../support/write-usage.ts';

const database = useDatabase('postgres');
const now = Date.now();

beforeAll(async () => {
  const { db } = database;
  const aDay = { perMinute: 1, perDay: 1 };
  await db.insert(accounts).values([
    ...['n', 'n 9', 'n 02', 'n 2'].map((name) => ({ name, plan: 'free' }) as const),
    { name: 'n 10', plan: 'enterprise', ...aDay },
    { name: 's', suspendedAt: new Date().toISOString() },
    // This account is in the table, but has no API key, no plan and no suspension, so lists must
    // not contain it.
    { name: 'nobody' },
  ]);
  for (const [account, ok, denied] of [
    ['n 2', 3, 0],
    ['n 10', 1, 1],
    ['zoë/e%', 1, 0],
  ] as const) {
    const key = { account, plan: 'enterprise', ...aDay } as const;
    const [{ id = '' } = {}] = await db.insert(apiKeys).values(key).returning({ id: apiKeys.id });
    await writeUsage(db, [
      entryOf(id, now, { requests: ok }),
      ...(denied > 0 ? [entryOf(id, now, { outcome: 'denied' })] : []),
      // These requests were made yesterday. A list that is sorted by today's requests must not
      // count them.
      entryOf(id, now - 86_400_000, { outcome: 'banned', requests: 9 }),
    ]);
  }
});

const all = ['n', 'n 2', 'n 9', 'n 02', 'n 10', 's', 'zoë/e%'];

test.each<[filter: AccountFilter, found: string[]]>([
  // The lists are sorted by name, by today's requests or by today's denials. Names that differ only
  // in the number at their end are sorted by the number of digits first, so that 9 comes before 10.
  [{}, all],
  [{ sort: '-name' }, all.toReversed()],
  [{ sort: '-requests' }, ['n 2', 'n 10', 'zoë/e%', 'n', 'n 9', 'n 02', 's']],
  [{ sort: '-denials' }, ['n 10', 'n', 'n 2', 'n 9', 'n 02', 's', 'zoë/e%']],
  [{ search: 'N 0' }, ['n 02']],
  [{ search: 'ZOE' }, ['zoë/e%']],
  [{ search: 'e%' }, ['zoë/e%']],
  [{ search: 'n_' }, []],
  [{ plan: 'free' }, ['n', 'n 2', 'n 9', 'n 02']],
  [{ plan: 'enterprise', search: 'n' }, ['n 10']],
  [{ suspended: 'true' }, ['s']],
  [{ nearLimit: 'true' }, ['n 10']],
  [{ anyCaseOf: 'N' }, ['n']],
])(
  'searchAccounts with the filter %j returns exactly the accounts %j, over several pages',
  async (filter, found) => {
    const pages: string[][] = [];
    let position: ListPosition | undefined;
    do {
      const { items, next } = await searchAccounts(database.db, filter, 2, position);
      pages.push(items.map(({ account }) => account));
      position = next;
    } while (position !== undefined);
    expect(pages.flat()).toEqual(found);
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(2);
    expect(await countFoundAccounts(database.db, filter)).toBe(found.length);
  },
);
