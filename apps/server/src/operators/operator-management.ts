import type { AuditAction, AuditState, KeyState, OperatorRole } from '@animal-store/contract/admin';
import { desc, eq, sql } from 'drizzle-orm';
import { type Cause, recordDifference } from '../audit/audit-log.ts';
import type { Database } from '../database/database.ts';
import { stateOf } from '../database/lifetime.ts';
import { operators, operatorTokens } from '../database/schema.ts';
import { inTransaction, statement } from '../database/statement.ts';
import { createTokenStore, type TokenRecord } from '../keys/token-store.ts';
import { toTimes } from '../shared/iso-times.ts';

export type OperatorManagement = ReturnType<typeof createOperatorManagement>;

/** An operator as others see it. */
export type OperatorRecord = Awaited<ReturnType<typeof findOperator>>[number] & {
  readonly tokens: readonly TokenRecord[];
};

/** An operator with its new token, which cannot be shown again. */
export interface OperatorWithToken {
  readonly operator: OperatorRecord;
  readonly token: string;
}

/** Why an operator was not changed. */
export type UnchangedOperator =
  | { readonly outcome: 'no-such-operator' }
  | { readonly outcome: 'not-active'; readonly state: KeyState };

/** More operators than people manage by hand. */
const maxListed = 1_000;

const columns = {
  id: operators.id,
  name: operators.name,
  role: operators.role,
  createdAt: operators.createdAt,
  expiresAt: operators.expiresAt,
  revokedAt: operators.revokedAt,
  state: stateOf(operators),
};

/** The tokens of operators. */
const tokens = createTokenStore('operator', operatorTokens);

const insertOperator = statement('insert_operator', (db, operator: typeof operators.$inferInsert) =>
  db.insert(operators).values(operator).returning({ id: operators.id }),
);

const listOperators = statement('list_operators', (db) =>
  db
    .select(columns)
    .from(operators)
    .orderBy(desc(operators.createdAt), desc(operators.id))
    .limit(maxListed),
);

const findOperator = statement('find_operator', (db, id: string) =>
  db.select(columns).from(operators).where(eq(operators.id, id)),
);

const lockOperator = statement('lock_operator', (db, id: string) =>
  db.select(columns).from(operators).where(eq(operators.id, id)).for('update'),
);

const revokeOperator = statement('revoke_operator', (db, id: string) =>
  db
    .update(operators)
    .set({ revokedAt: sql`coalesce(${operators.revokedAt}, now())` })
    .where(eq(operators.id, id)),
);

/** What owners do with operators. */
export function createOperatorManagement(db: Database) {
  return {
    create: (
      operator: { name: string; role: OperatorRole; expiresAt: Date | undefined },
      cause: Cause,
    ): Promise<OperatorWithToken> =>
      inTransaction('change_operator', db, async (tx) => {
        const [row] = await insertOperator(tx, operator);
        if (row === undefined) throw new Error('An insert returned no row.');
        const token = await tokens.add(tx, row.id);
        const after = await get(tx, row.id);
        await recordChange(tx, 'operator.created', cause, { before: undefined, after });
        return { operator: after, token };
      }),

    /** All operators, the newest first. */
    list: async (): Promise<OperatorRecord[]> => tokens.addTo(db, await listOperators(db)),

    /** Gives an operator a new token. Its other tokens stay valid for the grace period at most. */
    rotate: (
      id: string,
      graceSeconds: number,
      cause: Cause,
    ): Promise<UnchangedOperator | ({ readonly outcome: 'rotated' } & OperatorWithToken)> =>
      inTransaction('change_operator', db, async (tx) => {
        const before = await lock(tx, id);
        if (before === undefined) return { outcome: 'no-such-operator' };
        if (before.state !== 'active') return { outcome: 'not-active', state: before.state };
        await tokens.expire(tx, id, graceSeconds);
        const token = await tokens.add(tx, id);
        const after = await get(tx, id);
        await recordChange(tx, 'operator.rotated', cause, { before, after });
        return { outcome: 'rotated', operator: after, token };
      }),

    /** Revokes an operator permanently. Revoking it again changes nothing. */
    revoke: (id: string, cause: Cause): Promise<OperatorRecord | undefined> =>
      inTransaction('change_operator', db, async (tx) => {
        const before = await lock(tx, id);
        if (before === undefined) return undefined;
        await revokeOperator(tx, id);
        const after = await get(tx, id);
        await recordChange(tx, 'operator.revoked', cause, { before, after });
        return after;
      }),
  };
}

async function find(db: Database, id: string): Promise<OperatorRecord | undefined> {
  const [operator] = await tokens.addTo(db, await findOperator(db, id));
  return operator;
}

/** Finds an operator and locks it until the transaction ends. */
async function lock(tx: Database, id: string): Promise<OperatorRecord | undefined> {
  const [operator] = await tokens.addTo(tx, await lockOperator(tx, id));
  return operator;
}

/** Records what an owner did to an operator. */
function recordChange(
  tx: Database,
  action: AuditAction,
  cause: Cause,
  { before, after }: { before: OperatorRecord | undefined; after: OperatorRecord },
): Promise<void> {
  const subject = { type: 'operator', id: after.id, name: after.name, account: null } as const;
  const change = {
    cause,
    action,
    subject,
    before: before && auditedState(before),
    after: auditedState(after),
  };
  return recordDifference(tx, change);
}

function auditedState(operator: OperatorRecord): AuditState {
  const { createdAt: _, ...times } = toTimes(operator);
  return { name: operator.name, role: operator.role, ...times };
}

async function get(tx: Database, id: string): Promise<OperatorRecord> {
  const operator = await find(tx, id);
  if (operator === undefined) throw new Error('An operator is gone in the transaction.');
  return operator;
}
