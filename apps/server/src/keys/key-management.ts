import type { PlanName, Quota } from '@animal-store/contract';
import type { KeyState } from '@animal-store/contract/admin';
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { apiKeys, apiTokens } from '../database/schema.ts';
import { inTransaction, statement } from '../database/statement.ts';
import { lastUsed } from '../usage/usage-tables.ts';
import {
  type ApiKey,
  type NewApiKey,
  type PlanChoice,
  quotaOf,
  type StoredPlan,
  storedPlan,
} from './api-key.ts';
import { announceKeyChange } from './key-changes.ts';
import { addToken, createApiKey } from './key-creation.ts';
import { isUnexpired } from './key-lookup.ts';

export type KeyManagement = ReturnType<typeof createKeyManagement>;

/** A key as operators see it. */
export interface KeyRecord extends Omit<ApiKey, 'expiresAt'> {
  readonly account: string | null;
  readonly state: KeyState;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** The minute of its last request, as far as the usage ledger has it. */
  readonly lastUsedAt: Date | null;
  /** The tokens that have not expired, the newest first. They are valid as long as the key is active. */
  readonly tokens: readonly TokenRecord[];
}

/** What operators see of a token. */
interface TokenRecord {
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** A key with its new token, which cannot be shown again. */
export interface KeyWithToken {
  readonly key: KeyRecord;
  readonly token: string;
}

/** What narrows a list of keys. */
export interface KeyFilter {
  readonly plan: PlanName | undefined;
  readonly state: KeyState | undefined;
}

/** What an operator wants to change of a key's plan. */
interface PlanChange {
  readonly plan?: PlanName | undefined;
  readonly quota?: Quota | undefined;
}

/** Why a key was not changed. */
export type Unchanged =
  | { readonly outcome: 'no-such-key' }
  | { readonly outcome: 'not-active'; readonly state: KeyState }
  /** The key would be Enterprise, and lack its numbers. */
  | { readonly outcome: 'quota-missing' }
  /** The key would not be Enterprise, and have numbers. */
  | { readonly outcome: 'quota-unwanted'; readonly plan: PlanName };

// By the database's clock, as in the lookup of a token.
const state = sql<KeyState>`case when ${apiKeys.revokedAt} is not null then 'revoked' when ${apiKeys.expiresAt} <= now() then 'expired' else 'active' end`;

const isTokenUnexpired = isUnexpired(apiTokens.expiresAt);

// A subquery, because `for update` takes no outer join.
const lastUsedAt = sql<Date | null>`(select ${lastUsed.at} from ${lastUsed} where ${lastUsed.keyId} = ${apiKeys.id})`;

const columns = {
  id: apiKeys.id,
  name: apiKeys.name,
  account: apiKeys.account,
  plan: apiKeys.plan,
  perMinute: apiKeys.perMinute,
  perDay: apiKeys.perDay,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: lastUsedAt.mapWith(lastUsed.at),
  state,
};

const findKey = statement('find_key', (db, id: string) =>
  db.select(columns).from(apiKeys).where(eq(apiKeys.id, id)),
);

const lockKey = statement('lock_key', (db, id: string) =>
  db.select(columns).from(apiKeys).where(eq(apiKeys.id, id)).for('update'),
);

const listKeys = statement(
  'list_keys',
  (db, filter: KeyFilter, limit: number, afterId: string | undefined) => {
    // The position is read from the key's own row: a creation time is finer than a JavaScript date.
    const after =
      afterId &&
      sql`(${apiKeys.createdAt}, ${apiKeys.id}) < (select last.created_at, last.id from ${apiKeys} last where last.id = ${afterId})`;
    return db
      .select(columns)
      .from(apiKeys)
      .where(
        and(
          filter.plan && eq(apiKeys.plan, filter.plan),
          filter.state && eq(state, filter.state),
          after || undefined,
        ),
      )
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
      .limit(limit);
  },
);

const listTokens = statement('list_tokens', (db, keyIds: string[]) =>
  db
    .select({
      keyId: apiTokens.keyId,
      prefix: apiTokens.prefix,
      createdAt: apiTokens.createdAt,
      expiresAt: apiTokens.expiresAt,
    })
    .from(apiTokens)
    .where(and(inArray(apiTokens.keyId, keyIds), isTokenUnexpired))
    // The newest token never expires before the others. `created_at` alone does not tell which one is
    // the newest: it is the time at which its transaction began, and of two rotations at once the
    // one that waited for the other may have begun first.
    .orderBy(desc(apiTokens.expiresAt), desc(apiTokens.createdAt), asc(apiTokens.hash)),
);

const updatePlan = statement('update_plan', (db, id: string, plan: StoredPlan) =>
  db.update(apiKeys).set(plan).where(eq(apiKeys.id, id)),
);

const expireTokens = statement('expire_tokens', (db, keyId: string, graceSeconds: number) =>
  db
    .update(apiTokens)
    .set({
      expiresAt: sql`least(${apiTokens.expiresAt}, now() + make_interval(secs => ${graceSeconds}))`,
    })
    .where(and(eq(apiTokens.keyId, keyId), isTokenUnexpired)),
);

const revokeKey = statement('revoke_key', (db, id: string) =>
  db
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
    .where(eq(apiKeys.id, id)),
);

/**
 * What operators do with API keys. Each change is announced to all replicas in its own transaction:
 * they learn of it when it is committed, and never of one that was rolled back.
 *
 * @param onChanged called with a changed key before the change returns, so that this replica never
 * serves an outdated one afterwards.
 */
export function createKeyManagement(db: Database, onChanged: (keyId: string) => void) {
  async function change<Result>(
    id: string,
    work: (tx: Database) => Promise<Result>,
  ): Promise<Result> {
    const result = await inTransaction('change_key', db, work);
    onChanged(id);
    return result;
  }

  return {
    /** Creates a key. */
    create: (key: NewApiKey): Promise<KeyWithToken> =>
      inTransaction('change_key', db, async (tx) => {
        const { id, token } = await createApiKey(tx, key);
        return { key: await get(tx, id), token };
      }),

    find: (id: string): Promise<KeyRecord | undefined> => find(db, id),

    /** Up to `limit` keys, the newest first, after the key that a page ended with. */
    async list(filter: KeyFilter, limit: number, afterId: string | undefined) {
      return withTokens(db, await listKeys(db, filter, limit, afterId));
    },

    /** Changes a key's plan, an Enterprise key's numbers, or both. The counts stay. */
    changePlan: (
      id: string,
      wanted: PlanChange,
    ): Promise<Unchanged | { readonly outcome: 'changed'; readonly key: KeyRecord }> =>
      change(id, async (tx) => {
        const key = await lock(tx, id);
        if ('outcome' in key) return key;
        const choice = choosePlan(key, wanted);
        if ('outcome' in choice) return choice;
        await updatePlan(tx, id, storedPlan(choice));
        await announceKeyChange(tx, { keyId: id });
        return { outcome: 'changed', key: await get(tx, id) };
      }),

    /** Gives a key a new token. Its other tokens stay valid for the grace period at most. */
    rotate: (
      id: string,
      graceSeconds: number,
    ): Promise<Unchanged | ({ readonly outcome: 'rotated' } & KeyWithToken)> =>
      change(id, async (tx) => {
        const key = await lock(tx, id);
        if ('outcome' in key) return key;
        await expireTokens(tx, id, graceSeconds);
        const token = await addToken(tx, id);
        await announceKeyChange(tx, { keyId: id });
        return { outcome: 'rotated', key: await get(tx, id), token };
      }),

    /** Revokes a key for good. A repetition changes nothing, and is announced again. */
    revoke: (id: string): Promise<KeyRecord | undefined> =>
      change(id, async (tx) => {
        await revokeKey(tx, id);
        await announceKeyChange(tx, { keyId: id });
        return find(tx, id);
      }),

    /** Tells the other replicas that a key's ban was lifted. */
    async announceUnban(id: string): Promise<void> {
      await announceKeyChange(db, { keyId: id, pardoned: true });
    },
  };
}

async function find(db: Database, id: string): Promise<KeyRecord | undefined> {
  const [key] = await withTokens(db, await findKey(db, id));
  return key;
}

async function get(tx: Database, id: string): Promise<KeyRecord> {
  const key = await find(tx, id);
  if (key === undefined) throw new Error('A key is gone in the transaction that changed it.');
  return key;
}

/** Locks a key until the transaction ends, if it may be changed at all. */
async function lock(tx: Database, id: string) {
  const [key] = await lockKey(tx, id);
  if (key === undefined) return { outcome: 'no-such-key' } as const;
  if (key.state !== 'active') return { outcome: 'not-active', state: key.state } as const;
  return key;
}

type Row = Awaited<ReturnType<typeof findKey>>[number];

async function withTokens(db: Database, rows: readonly Row[]): Promise<KeyRecord[]> {
  if (rows.length === 0) return [];
  const tokens = await listTokens(
    db,
    rows.map(({ id }) => id),
  );
  const tokensOf = Map.groupBy(tokens, ({ keyId }) => keyId);
  return rows.map(({ perMinute, perDay, ...row }) => ({
    ...row,
    quota: quotaOf({ plan: row.plan, perMinute, perDay }),
    tokens: (tokensOf.get(row.id) ?? []).map(({ keyId: _, ...token }) => token),
  }));
}

/** The plan that a key gets, or why it cannot get it. */
function choosePlan(key: Row, wanted: PlanChange): PlanChoice | Unchanged {
  const plan = wanted.plan ?? key.plan;
  if (plan !== 'enterprise') {
    return wanted.quota === undefined ? { plan } : { outcome: 'quota-unwanted', plan };
  }
  const quota = wanted.quota ?? (key.plan === 'enterprise' ? quotaOf(key) : undefined);
  return quota === undefined ? { outcome: 'quota-missing' } : { plan, quota };
}
