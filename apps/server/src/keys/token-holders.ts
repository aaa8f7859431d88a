import {
  type AuditAction,
  type AuditState,
  adminErrorMessages,
  type Key,
} from '@animal-store/contract/admin';
import { type Cause, recordDifference } from '../audit/audit-log.ts';
import type { Database } from '../database/database.ts';
import { inTransaction, statement } from '../database/statement.ts';
import { Refusal } from './refusal.ts';
import type { createTokenStore } from './token-store.ts';

/** A key or an operator: it has tokens, and may expire or be revoked. */
type TokenHolder = Pick<
  Key,
  'id' | 'name' | 'state' | 'createdAt' | 'expiresAt' | 'revokedAt' | 'tokens'
> &
  // Operators have neither.
  Partial<Pick<Key, 'account' | 'lastUsedAt'>>;

/** A holder with its new token, which cannot be shown again. */
export interface IssuedToken<Holder> {
  readonly holder: Holder;
  readonly token: string;
}

/** How keys, or operators, are stored. */
interface HolderStore<Row, Holder> {
  readonly type: 'key' | 'operator';
  readonly tokens: ReturnType<typeof createTokenStore>;
  readonly select: (
    db: Database,
    id: string,
  ) => PromiseLike<Row[]> & { for(strength: 'update'): PromiseLike<Row[]> };
  readonly complete: (db: Database, rows: readonly Row[]) => Promise<Holder[]>;
  /** Sets the time of the revocation. An earlier one stays. */
  readonly setRevoked: (db: Database, id: string) => PromiseLike<unknown>;
  /** Tells all replicas of a change, once its transaction is committed. */
  readonly announce?: (tx: Database, id: string) => Promise<unknown>;
  /** Called before a change returns. */
  readonly onChanged?: (id: string) => void;
}

/**
 * Creates, rotates and revokes keys, or operators. Each change is one transaction with its entry in the
 * audit log.
 */
export function createTokenHolders<Row, Holder extends TokenHolder>(
  db: Database,
  store: HolderStore<Row, Holder>,
) {
  const { type, tokens, select, complete, announce, onChanged } = store;
  const findRow = statement(`find_${type}`, select);
  const lockRow = statement(`lock_${type}`, (tx, id: string) => select(tx, id).for('update'));
  const setRevoked = statement(`revoke_${type}`, store.setRevoked);

  async function find(tx: Database, id: string, selectRow = findRow): Promise<Holder | Refusal> {
    const [holder] = await complete(tx, await selectRow(tx, id));
    if (holder !== undefined) return holder;
    return new Refusal(`${type}_not_found`, adminErrorMessages[`${type}_not_found`](id));
  }

  /** Finds a holder and locks it until the transaction ends. */
  const lock = (tx: Database, id: string) => find(tx, id, lockRow);

  /** Records a change in the audit log. Returns the holder as it is now. */
  async function record(
    tx: Database,
    id: string,
    change: { action: AuditAction; cause: Cause; before: Holder | undefined },
  ): Promise<Holder> {
    const { action, cause, before } = change;
    const after = await find(tx, id);
    if (after instanceof Refusal) throw new Error(`The ${type} that was changed is gone.`);
    await recordDifference(tx, {
      ...{ action, cause },
      subject: { type, id, name: after.name, account: after.account ?? null },
      before: before && auditedState(before),
      after: auditedState(after),
    });
    return after;
  }

  /** Locks a holder, changes it, and records and announces that. */
  async function change<Result extends object>(
    { id, action, cause }: { id: string; action: AuditAction; cause: Cause },
    work: (tx: Database, before: Holder) => Promise<Result | Refusal>,
  ): Promise<(Result & { readonly holder: Holder }) | Refusal> {
    const changed = await inTransaction(`change_${type}`, db, async (tx) => {
      const before = await lock(tx, id);
      if (before instanceof Refusal) return before;
      const result = await work(tx, before);
      if (result instanceof Refusal) return result;
      const holder = await record(tx, id, { action, cause, before });
      await announce?.(tx, id);
      return { ...result, holder };
    });
    onChanged?.(id);
    return changed;
  }

  /** Why a holder cannot be changed, if it is not active. */
  function inactivity({ state }: Holder): Refusal | undefined {
    if (state === 'active') return undefined;
    return new Refusal(`${type}_not_active`, adminErrorMessages[`${type}_not_active`](state));
  }

  return {
    find: (id: string) => find(db, id),
    lock,
    change,
    inactivity,

    /** Records a new holder that `insert` creates with its first token. */
    create: (
      insert: (tx: Database) => Promise<{ id: string; token: string }>,
      cause: Cause,
    ): Promise<IssuedToken<Holder>> =>
      inTransaction(`change_${type}`, db, async (tx) => {
        const { id, token } = await insert(tx);
        const action = `${type}.created` as const;
        return { token, holder: await record(tx, id, { action, cause, before: undefined }) };
      }),

    /** Gives a holder a new token. Its other tokens stay valid for the grace period at most. */
    rotate: (
      id: string,
      graceSeconds: number,
      cause: Cause,
    ): Promise<IssuedToken<Holder> | Refusal> =>
      change({ id, action: `${type}.rotated`, cause }, async (tx, before) => {
        const refusal = inactivity(before);
        if (refusal !== undefined) return refusal;
        await tokens.expire(tx, id, graceSeconds);
        return { token: await tokens.add(tx, id) };
      }),

    /** Revokes a holder permanently. Revoking it again changes nothing, but is announced again. */
    revoke: (id: string, cause: Cause) =>
      change({ id, action: `${type}.revoked`, cause }, async (tx) => {
        await setRevoked(tx, id);
        return {};
      }),
  };
}

/** What the audit log compares. */
function auditedState(holder: TokenHolder): AuditState {
  const { id: _, state: __, createdAt: ___, lastUsedAt: ____, ...audited } = holder;
  return audited;
}
