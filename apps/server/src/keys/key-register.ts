import type { PlanName, Quota } from '@animal-store/contract';
import type { KeyState } from '@animal-store/contract/admin';
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { translateErrors } from '../database/database-error.ts';
import { apiKeys, apiTokens } from '../database/schema.ts';
import { type ApiKey, type NewApiKey, type PlanChoice, quotaOf, storedPlan } from './api-key.ts';
import { type KeyChange, keyChannel } from './key-changes.ts';
import { addToken, createKeyRepository, isUnexpired } from './key-repository.ts';

export type KeyRegister = ReturnType<typeof createKeyRegister>;

/** A key as operators see it. */
export interface KeyRecord extends Omit<ApiKey, 'expiresAt'> {
  readonly account: string | null;
  readonly state: KeyState;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** The tokens that are good as long as the key is, the newest first. */
  readonly tokens: readonly TokenRecord[];
}

/** What is known of a token. */
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

/** Why a key was left as it was. */
export type Unchanged =
  | { readonly outcome: 'no-such-key' }
  | { readonly outcome: 'not-active'; readonly state: KeyState }
  /** It would be Enterprise, and lack its numbers. */
  | { readonly outcome: 'quota-missing' }
  /** It would not be Enterprise, and have numbers. */
  | { readonly outcome: 'quota-unwanted'; readonly plan: PlanName };

// By the database's clock, as the check of a token is.
const state = sql<KeyState>`case when ${apiKeys.revokedAt} is not null then 'revoked' when ${apiKeys.expiresAt} <= now() then 'expired' else 'active' end`;

const isGood = isUnexpired(apiTokens.expiresAt);

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
  state,
};

/**
 * The life of API keys, as operators lead it. Every change is announced in the transaction that
 * makes it, so replicas hear of it when it holds, and never of one that was rolled back.
 *
 * @param onChanged is told at once, before whoever asked for the change is answered.
 */
export function createKeyRegister(db: Database, onChanged: (keyId: string) => void) {
  const change = <T>(work: (tx: Database) => Promise<T>): Promise<T> =>
    translateErrors(db.transaction(work), 'change_key');
  /** As {@link change}, of a key that there is: what is told of it here must not be outdated. */
  const changeKey = async <T>(id: string, work: (tx: Database) => Promise<T>): Promise<T> => {
    const result = await change(work);
    onChanged(id);
    return result;
  };

  return {
    /** Makes a key. */
    create: (key: NewApiKey): Promise<KeyWithToken> =>
      change(async (tx) => {
        const { id, token } = await createKeyRepository(tx).create(key);
        return { key: await get(tx, id), token };
      }),

    find: (id: string): Promise<KeyRecord | undefined> => translateErrors(find(db, id), 'find_key'),

    /** Up to `limit` keys, the newest first, after the key that a page ended with. */
    list(filter: KeyFilter, limit: number, afterId: string | undefined): Promise<KeyRecord[]> {
      const { plan, state: wanted } = filter;
      // Its own row tells where a key stands: its time of creation is finer than a JavaScript date.
      const after =
        afterId &&
        sql`(${apiKeys.createdAt}, ${apiKeys.id}) < (select last.created_at, last.id from ${apiKeys} last where last.id = ${afterId})`;
      return translateErrors(
        db
          .select(columns)
          .from(apiKeys)
          .where(
            and(plan && eq(apiKeys.plan, plan), wanted && eq(state, wanted), after || undefined),
          )
          .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
          .limit(limit)
          .then((rows) => withTokens(db, rows)),
        'list_keys',
      );
    },

    /** Changes a key's plan, an Enterprise key's numbers, or both. What it has used stays counted. */
    changePlan: (
      id: string,
      wanted: { plan?: PlanName | undefined; quota?: Quota | undefined },
    ): Promise<Unchanged | { readonly outcome: 'changed'; readonly key: KeyRecord }> =>
      changeKey(id, async (tx) => {
        const key = await lock(tx, id);
        if ('outcome' in key) return key;
        const choice = choose(key, wanted);
        if ('outcome' in choice) return choice;
        await tx.update(apiKeys).set(storedPlan(choice)).where(eq(apiKeys.id, id));
        await announce(tx, { keyId: id });
        return { outcome: 'changed', key: await get(tx, id) };
      }),

    /** Gives a key a new token. Those that it has stay good for so long, and no longer than they were. */
    rotate: (
      id: string,
      graceSeconds: number,
    ): Promise<Unchanged | ({ readonly outcome: 'rotated' } & KeyWithToken)> =>
      changeKey(id, async (tx) => {
        const key = await lock(tx, id);
        if ('outcome' in key) return key;
        await tx
          .update(apiTokens)
          .set({
            expiresAt: sql`least(${apiTokens.expiresAt}, now() + make_interval(secs => ${graceSeconds}))`,
          })
          .where(and(eq(apiTokens.keyId, id), isGood));
        const token = await addToken(tx, id);
        await announce(tx, { keyId: id });
        return { outcome: 'rotated', key: await get(tx, id), token };
      }),

    /** Takes a key back for good. A second time changes nothing, and is announced again. */
    revoke: (id: string): Promise<KeyRecord | undefined> =>
      changeKey(id, async (tx) => {
        await tx
          .update(apiKeys)
          .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
          .where(eq(apiKeys.id, id));
        await announce(tx, { keyId: id });
        return find(tx, id);
      }),

    /** Tells the other replicas that a key's ban has ended. */
    announcePardon: (id: string): Promise<void> =>
      translateErrors(announce(db, { keyId: id, pardoned: true }), 'announce_pardon'),
  };
}

async function find(db: Database, id: string): Promise<KeyRecord | undefined> {
  const rows = await db.select(columns).from(apiKeys).where(eq(apiKeys.id, id));
  const [key] = await withTokens(db, rows);
  return key;
}

async function get(tx: Database, id: string): Promise<KeyRecord> {
  const key = await find(tx, id);
  if (key === undefined) throw new Error('A key is gone in the transaction that changed it.');
  return key;
}

/** Keeps a key from changing until the transaction ends, if it may be changed at all. */
async function lock(tx: Database, id: string) {
  const [key] = await tx.select(columns).from(apiKeys).where(eq(apiKeys.id, id)).for('update');
  if (key === undefined) return { outcome: 'no-such-key' } as const;
  if (key.state !== 'active') return { outcome: 'not-active', state: key.state } as const;
  return key;
}

type Row = Omit<KeyRecord, 'quota' | 'tokens'> & Parameters<typeof quotaOf>[0];

async function withTokens(db: Database, rows: readonly Row[]): Promise<KeyRecord[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const tokens = await db
    .select({
      keyId: apiTokens.keyId,
      prefix: apiTokens.prefix,
      createdAt: apiTokens.createdAt,
      expiresAt: apiTokens.expiresAt,
    })
    .from(apiTokens)
    .where(and(inArray(apiTokens.keyId, ids), isGood))
    // By the end first, which none has that was not replaced: of two rotations at once, the one that
    // had to wait for the other has the newer token and the older transaction, whose time it bears.
    .orderBy(desc(apiTokens.expiresAt), desc(apiTokens.createdAt), asc(apiTokens.hash));
  const tokensOf = Map.groupBy(tokens, ({ keyId }) => keyId);
  return rows.map(({ perMinute, perDay, ...row }) => ({
    ...row,
    quota: quotaOf({ plan: row.plan, perMinute, perDay }),
    tokens: (tokensOf.get(row.id) ?? []).map(({ keyId: _, ...token }) => token),
  }));
}

/** The plan that a key gets, or why it cannot. */
function choose(
  key: Row,
  wanted: { plan?: PlanName | undefined; quota?: Quota | undefined },
): PlanChoice | Unchanged {
  const plan = wanted.plan ?? key.plan;
  if (plan !== 'enterprise') {
    return wanted.quota === undefined ? { plan } : { outcome: 'quota-unwanted', plan };
  }
  const quota = wanted.quota ?? (key.plan === 'enterprise' ? quotaOf(key) : undefined);
  return quota === undefined ? { outcome: 'quota-missing' } : { plan, quota };
}

/** Tells all replicas that what they remember of a key is out of date. */
async function announce(db: Database, change: KeyChange): Promise<void> {
  await db.execute(sql`select pg_notify(${keyChannel}, ${JSON.stringify(change)})`);
}
