import type { NewOperator } from '@animal-store/contract/admin';
import { desc, eq, sql } from 'drizzle-orm';
import type { Cause } from '../audit/audit-log.ts';
import type { Database } from '../database/database.ts';
import { stateOf } from '../database/lifetime.ts';
import { operators, operatorTokens } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { createTokenHolders } from '../keys/token-holders.ts';
import { createTokenStore } from '../keys/token-store.ts';

export type OperatorManagement = ReturnType<typeof createOperatorManagement>;

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

const insertOperator = statement('insert_operator', (db, operator: NewOperator) =>
  db.insert(operators).values(operator).returning({ id: operators.id }),
);

const listOperators = statement('list_operators', (db) =>
  db
    .select(columns)
    .from(operators)
    .orderBy(desc(operators.createdAt), desc(operators.id))
    .limit(maxListed),
);

/** What owners do with operators. */
export function createOperatorManagement(db: Database) {
  const { create, rotate, revoke } = createTokenHolders(db, {
    type: 'operator',
    tokens,
    select: (tx, id) => tx.select(columns).from(operators).where(eq(operators.id, id)),
    complete: tokens.addTo,
    setRevoked: (tx, id) =>
      tx
        .update(operators)
        .set({ revokedAt: sql`coalesce(${operators.revokedAt}, now())` })
        .where(eq(operators.id, id)),
  });

  return {
    rotate,
    revoke,

    create: (operator: NewOperator, cause: Cause) =>
      create(async (tx) => {
        const [row] = await insertOperator(tx, operator);
        if (row === undefined) throw new Error('An insert returned no row.');
        return { id: row.id, token: await tokens.add(tx, row.id) };
      }, cause),

    /** All operators, the newest first. */
    list: async () => tokens.addTo(db, await listOperators(db)),
  };
}
