import { createHmac } from 'node:crypto';
import {
  type AuditEntry,
  type OperatorRole,
  type OperatorSession,
  sessionLifetime,
} from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import {
  execution,
  inTransaction,
  oneRow,
  preparedStatement,
  statement,
} from '@animal-store/postgres';
import { and, desc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import { createToken, hashToken, isToken } from '../keys/token.ts';
import { isActive, isUnexpired } from '../schema/lifetime.ts';
import { operatorSessions, operators, operatorTokens } from '../schema/schema.ts';
import { confirmActor } from './confirm-actor.ts';

/** The authenticated sender of a request to the admin API. */
export type Actor = AuditEntry['actor'] & { readonly role: OperatorRole };

/**
 * The actor who uses the `ADMIN_TOKEN`. This actor has the role of an owner, and so can create the
 * first operator.
 */
export const adminTokenActor: Actor = {
  type: 'admin_token',
  id: null,
  name: 'ADMIN_TOKEN',
  role: 'owner',
};

const operator = { id: operators.id, name: operators.name, role: operators.role };

const findOperatorByToken = preparedStatement('find_operator_by_token', (db) =>
  db
    .select({
      operator,
      execution,
    })
    .from(oneRow)
    .leftJoin(
      operatorTokens,
      and(eq(operatorTokens.hash, sql.placeholder('hash')), isUnexpired(operatorTokens.expiresAt)),
    )
    .leftJoin(operators, and(eq(operators.id, operatorTokens.holderId), isActive(operators))),
);

const { idleSeconds, maxSeconds } = sessionLifetime;

/**
 * The number of seconds after which a session in use is extended again. So a session in use causes
 * at most one write per minute.
 */
const extendAfterSeconds = 60;

const inSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;

const insertSession = statement(
  'insert_operator_session',
  (db, session: { hash: string; tokenHash: string | null }) =>
    db
      .insert(operatorSessions)
      .values({ ...session, expiresAt: inSeconds(idleSeconds) })
      .returning({ expiresAt: operatorSessions.expiresAt }),
);

const deleteExpiredSessions = statement('delete_expired_operator_sessions', (db) =>
  db.delete(operatorSessions).where(lt(operatorSessions.expiresAt, sql`now()`)),
);

const findSession = preparedStatement('find_operator_session', (db) =>
  db
    .select({
      session: { hash: operatorSessions.hash, tokenHash: operatorSessions.tokenHash },
      operator,
      isAging: sql<boolean>`${operatorSessions.expiresAt} < ${inSeconds(idleSeconds - extendAfterSeconds)}`,
      execution,
    })
    .from(oneRow)
    .leftJoin(
      operatorSessions,
      and(
        inArray(operatorSessions.hash, [
          sql.placeholder('operatorHash'),
          sql.placeholder('adminTokenHash'),
        ]),
        sql`${operatorSessions.expiresAt} > now()`,
      ),
    )
    .leftJoin(
      operatorTokens,
      and(
        eq(operatorTokens.hash, operatorSessions.tokenHash),
        isUnexpired(operatorTokens.expiresAt),
      ),
    )
    .leftJoin(operators, and(eq(operators.id, operatorTokens.holderId), isActive(operators))),
);

/**
 * Extends a session. The condition on `expires_at` prevents a session that has expired in the
 * meantime from becoming valid again.
 */
const extendSession = statement('extend_operator_session', (db, hash: string) =>
  db
    .update(operatorSessions)
    .set({
      expiresAt: sql`least(${operatorSessions.createdAt} + make_interval(secs => ${maxSeconds}), ${inSeconds(idleSeconds)})`,
    })
    .where(and(eq(operatorSessions.hash, hash), isUnexpired(operatorSessions.expiresAt))),
);

const deleteSession = statement('delete_operator_session', (db, hashes: string[]) =>
  db.delete(operatorSessions).where(inArray(operatorSessions.hash, hashes)),
);

const listSessions = statement('list_operator_sessions', (db, operatorId: string) =>
  db
    .select({
      createdAt: operatorSessions.createdAt,
      expiresAt: operatorSessions.expiresAt,
      tokenPrefix: operatorTokens.prefix,
    })
    .from(operatorSessions)
    .innerJoin(operatorTokens, eq(operatorTokens.hash, operatorSessions.tokenHash))
    .where(and(eq(operatorTokens.holderId, operatorId), isUnexpired(operatorSessions.expiresAt)))
    .orderBy(desc(operatorSessions.createdAt)),
);

const deleteSessions = statement('delete_operator_sessions', (db, operatorId: string | null) =>
  db.delete(operatorSessions).where(
    operatorId === null
      ? isNull(operatorSessions.tokenHash)
      : sql`${operatorSessions.tokenHash} in (select ${operatorTokens.hash} from ${operatorTokens}
          where ${operatorTokens.holderId} = ${operatorId})`,
  ),
);

/**
 * A function that checks the permission of an actor within a transaction.
 *
 * @throws {AdminRefusal} if the permission has ended.
 */
type ConfirmActor = (tx: Database) => Promise<void>;

export type OperatorSessions = ReturnType<typeof createOperatorSessions>;

/**
 * Creates the store of operators' sessions. Sessions are rows in the database, so that all replicas
 * know them and any replica can end them. Only hashes are stored, so that a reader of the database
 * cannot act as an operator.
 *
 * A session that was created with the `ADMIN_TOKEN` is stored under an HMAC with this token as its
 * key. When the `ADMIN_TOKEN` changes, these sessions are no longer found.
 */
export function createOperatorSessions(db: Database, adminToken: string | undefined) {
  const hashesOf = (session: string): { operatorHash: string; adminTokenHash: string | null } => ({
    operatorHash: hashToken(session),
    adminTokenHash:
      adminToken === undefined
        ? null
        : createHmac('sha256', adminToken).update(session).digest('hex'),
  });

  return {
    /**
     * Finds the operator of a token. Returns `undefined` if the token is unknown, expired or
     * revoked. Nothing is cached, because operators send few requests. So a revocation takes effect
     * on all replicas immediately.
     */
    async findByToken(token: string): Promise<Actor | undefined> {
      const [row] = await findOperatorByToken(db, { hash: hashToken(token) });
      return row?.operator ? { type: 'operator', ...row.operator } : undefined;
    },

    /**
     * Checks, in the transaction of a change, that the actor's credential is still valid.
     *
     * @returns the actor's role; `undefined` if the token or session has ended.
     */
    confirm(tx: Database, actor: Actor, token: string): Promise<OperatorRole | undefined> {
      const isSession = token !== adminToken && isToken(token, 'session');
      const { operatorHash, adminTokenHash } = hashesOf(token);
      return confirmActor(tx, {
        operatorId: actor.id,
        tokenHash: isSession || actor.id === null ? undefined : operatorHash,
        sessionHashes: isSession ? [operatorHash, adminTokenHash ?? operatorHash] : undefined,
      });
    },

    /**
     * Begins a session. The session ends at the latest when the token that began the session
     * expires.
     */
    begin: (
      actor: Actor,
      token: string,
      confirmActor: ConfirmActor,
    ): Promise<{ token: string; expiresAt: string }> =>
      inTransaction('begin_operator_session', db, async (tx) => {
        await confirmActor(tx);
        await deleteExpiredSessions(tx);
        const session = createToken('session');
        const { operatorHash, adminTokenHash } = hashesOf(session);
        const row =
          actor.id === null
            ? { hash: adminTokenHash ?? operatorHash, tokenHash: null }
            : { hash: operatorHash, tokenHash: hashToken(token) };
        const [inserted] = await insertSession(tx, row);
        if (inserted === undefined)
          throw new Error(
            'The session was not stored: the INSERT returned no row. Report this as a bug of the service.',
          );
        return { token: session, expiresAt: inserted.expiresAt };
      }),

    /**
     * Finds the operator of a session.
     *
     * @param options.isActive whether the operator caused the request by an action, for example by
     * a click. Only then is the session extended, not when the console polls.
     */
    async find(session: string, { isActive }: { isActive: boolean }): Promise<Actor | undefined> {
      const [row] = await findSession(db, hashesOf(session));
      if (!row?.session) return undefined;
      const { hash, tokenHash } = row.session;
      // The operator was revoked or has expired, so the session is invalid too.
      if (tokenHash !== null && row.operator === null) return undefined;
      if (isActive && row.isAging) await extendSession(db, hash);
      return row.operator === null ? adminTokenActor : { type: 'operator', ...row.operator };
    },

    /** Returns the sessions of an operator that have not ended, newest first. */
    list: (operatorId: string): Promise<OperatorSession[]> => listSessions(db, operatorId),

    /** Ends all sessions of an operator, or of the `ADMIN_TOKEN`. */
    endAll: (operatorId: string | null, confirmActor: ConfirmActor): Promise<void> =>
      inTransaction('end_operator_sessions', db, async (tx) => {
        await confirmActor(tx);
        await deleteSessions(tx, operatorId);
      }),

    async end(session: string): Promise<void> {
      const { operatorHash, adminTokenHash } = hashesOf(session);
      await deleteSession(db, [operatorHash, adminTokenHash ?? operatorHash]);
    },
  };
}
