import {
  type AuditAction,
  adminErrorMessages,
  type IssuedOperator,
  looksAlike,
  type NewOperator,
  type Operator,
} from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import {
  execution,
  inTransaction,
  oneRow,
  preparedStatement,
  statement,
} from '@animal-store/postgres';
import { and, desc, eq, getTableColumns, inArray, isNull, sql } from 'drizzle-orm';
import { type Cause, recordDifference } from '../audit/audit-log.ts';
import { createTokenStore } from '../keys/token-store.ts';
import { AdminRefusal } from '../schema/admin-refusal.ts';
import { isUnexpiredAfterLock, revoked, stateOf } from '../schema/lifetime.ts';
import { operators, operatorTokens } from '../schema/schema.ts';
import { isContained } from '../schema/search-text.ts';

export type OperatorManagement = ReturnType<typeof createOperatorManagement>;

/** The largest number of operators that is listed. No company manages more operators by hand. */
const maxListed = 1_000;

const columns = { ...getTableColumns(operators), state: stateOf(operators) };

const tokens = createTokenStore('operator', operatorTokens);

const insertOperator = statement('insert_operator', (tx, operator: NewOperator) =>
  tx.insert(operators).values(operator).returning({ id: operators.id }),
);

const findOperator = preparedStatement('find_operator', (db) =>
  db
    .select({ operator: columns, execution })
    .from(oneRow)
    .leftJoin(operators, eq(operators.id, sql.placeholder('id'))),
);

/**
 * Locks operators in the order of their ids. Without this order, two operators who revoke each
 * other would cause a deadlock.
 */
const lockOperators = statement('lock_operators', (tx, ids: string[]) =>
  tx
    .select({ id: operators.id })
    .from(operators)
    .where(inArray(operators.id, ids))
    .orderBy(operators.id)
    .for('update'),
);

const revokeOperator = statement('revoke_operator', (tx, id: string) =>
  tx.update(operators).set(revoked(operators)).where(eq(operators.id, id)),
);

const listOperators = statement('list_operators', (db, search: string | undefined) =>
  db
    .select(columns)
    .from(operators)
    .where(search === undefined ? undefined : isFoundBy(search))
    .orderBy(desc(operators.createdAt), desc(operators.id))
    .limit(maxListed),
);

const listActiveNames = statement('list_operator_names', (tx) =>
  tx
    .select({ name: operators.name })
    .from(operators)
    .where(and(isNull(operators.revokedAt), isUnexpiredAfterLock(operators.expiresAt))),
);

/**
 * Lets only one transaction at a time compare the name of a new operator with the existing names.
 * Otherwise, two creations at the same time would not see each other's name. The number of the lock
 * is arbitrary.
 */
const lockNames = statement('lock_operator_names', (tx) =>
  tx.execute(sql`select pg_advisory_xact_lock(7301874402562)`),
);

/**
 * Returns the SQL condition that an operator matches a search. The text is part of the operator's
 * name, or the prefix of a current or former token.
 */
const isFoundBy = (text: string) => sql`(${isContained(operators.name, text)}
  or ${operators.id} in (select ${operatorTokens.holderId} from ${operatorTokens}
    where ${operatorTokens.prefix} = ${text}))`;

/** Creates the operations on operators. Each change is one transaction with its audit entry. */
export function createOperatorManagement(db: Database) {
  /**
   * Locks an operator and the operator who makes the change, applies the change, and records it in
   * the audit log.
   */
  const change = <Result>(
    { id, action, cause }: { id: string; action: AuditAction; cause: Cause },
    work: (tx: Database, before: Operator) => Promise<Result>,
  ): Promise<{ operator: Operator; result: Result }> =>
    inTransaction('change_operator', db, async (tx) => {
      await lockOperators(tx, cause.actor.id === null ? [id] : [id, cause.actor.id]);
      await cause.confirmActor?.(tx);
      const before = await find(tx, id);
      const result = await work(tx, before);
      const operator = await find(tx, id);
      await recordDifference(tx, { action, cause }, { before, after: operator });
      return { operator, result };
    });

  return {
    /**
     * Finds an operator by id.
     *
     * @throws {AdminRefusal} if there is no operator with this id.
     */
    find: (id: string): Promise<Operator> => find(db, id),

    /** Returns all operators, or those that match a search, newest first. */
    list: async (search?: string): Promise<Operator[]> =>
      tokens.addTo(db, await listOperators(db, search)),

    /** Creates an operator with its first token. */
    create: (newOperator: NewOperator, cause: Cause): Promise<IssuedOperator> =>
      inTransaction('change_operator', db, async (tx) => {
        await cause.confirmActor?.(tx);
        await refuseLookAlike(tx, newOperator.name);
        const [row] = await insertOperator(tx, newOperator);
        if (row === undefined)
          throw new Error(
            'The operator was not stored: the INSERT returned no row. Report this as a bug of the service.',
          );
        const token = await tokens.add(tx, row.id);
        const operator = await find(tx, row.id);
        const change = { before: undefined, after: operator };
        await recordDifference(tx, { action: 'operator.created', cause }, change);
        return { operator, token };
      }),

    /**
     * Gives an operator a new token. The previous tokens of the operator stay valid for at most the
     * grace period.
     */
    async rotate(id: string, graceSeconds: number, cause: Cause): Promise<IssuedOperator> {
      const subject = { id, action: 'operator.rotated', cause } as const;
      const { operator, result } = await change(subject, async (tx, { state }) => {
        if (state === 'active') return tokens.replace(tx, id, graceSeconds);
        const message = adminErrorMessages.operator_not_active(state);
        throw new AdminRefusal('operator_not_active', message);
      });
      return { operator, token: result };
    },

    /** Revokes an operator permanently. A second revocation changes nothing. */
    async revoke(id: string, cause: Cause): Promise<Operator> {
      const subject = { id, action: 'operator.revoked', cause } as const;
      return (await change(subject, (tx) => revokeOperator(tx, id))).operator;
    },
  };
}

/**
 * Refuses a name that looks like the name of another active operator, because readers of the audit
 * log would confuse the two operators. An identical name is accepted, because readers see the same
 * name twice and compare the ids.
 *
 * @throws {AdminRefusal} if the name looks like the name of another active operator but is not
 * identical.
 */
async function refuseLookAlike(tx: Database, name: string): Promise<void> {
  await lockNames(tx);
  const names = await listActiveNames(tx);
  const other = names.find((it) => it.name !== name && looksAlike(it.name, name));
  if (other !== undefined) {
    throw new AdminRefusal('invalid_request', adminErrorMessages.nameTaken(other.name));
  }
}

/**
 * Finds an operator with its tokens by id.
 *
 * @throws {AdminRefusal} if there is no operator with this id.
 */
async function find(tx: Database, id: string): Promise<Operator> {
  const rows = await findOperator(tx, { id });
  const [operator] = await tokens.addTo(
    tx,
    rows.flatMap((row) => row.operator ?? []),
  );
  if (operator !== undefined) return operator;
  throw new AdminRefusal('operator_not_found', adminErrorMessages.operator_not_found(id));
}
