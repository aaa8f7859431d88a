import type { OperatorRole } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { isUnexpiredAfterLock } from '../schema/lifetime.ts';
import { operatorSessions, operators, operatorTokens } from '../schema/schema.ts';

/**
 * Locks the row of the operator who makes a change, in share mode. Revoking an operator or rotating
 * an operator's token locks the same row for update, so both wait until the change is complete.
 */
const lockActor = statement('lock_actor', (tx, id: string) =>
  tx
    .select({ role: operators.role })
    .from(operators)
    .where(
      and(
        eq(operators.id, id),
        isNull(operators.revokedAt),
        isUnexpiredAfterLock(operators.expiresAt),
      ),
    )
    .for('share'),
);

const lockActorSession = statement('lock_actor_session', (tx, hashes: string[]) =>
  tx
    .select({ tokenHash: operatorSessions.tokenHash })
    .from(operatorSessions)
    .where(
      and(inArray(operatorSessions.hash, hashes), isUnexpiredAfterLock(operatorSessions.expiresAt)),
    )
    .for('share'),
);

const findActorToken = statement('find_actor_token', (tx, hash: string, operatorId: string) =>
  tx
    .select({ hash: operatorTokens.hash })
    .from(operatorTokens)
    .where(
      and(
        eq(operatorTokens.hash, hash),
        eq(operatorTokens.holderId, operatorId),
        isUnexpiredAfterLock(operatorTokens.expiresAt),
      ),
    ),
);

/** The credential with which an operator has authenticated a request. */
export interface PresentedCredential {
  /** The id of the operator; `null` for the `ADMIN_TOKEN`. */
  readonly operatorId: string | null;
  /**
   * The hash of the operator's token; `undefined` if the credential is a session or the
   * `ADMIN_TOKEN`.
   */
  readonly tokenHash: string | undefined;
  /**
   * The hashes under which the session may be stored; `undefined` if the credential is not a
   * session.
   */
  readonly sessionHashes: string[] | undefined;
}

/**
 * Returns the role of the operator who makes a change, and locks the operator until the transaction
 * ends. A revocation, a rotation or the end of the session then comes either before or after the
 * change. Without the lock, a revoked operator could finish a change that was authorized earlier,
 * and create another operator.
 *
 * @returns `undefined` if the operator, the token or the session has ended.
 */
export async function confirmActor(
  tx: Database,
  { operatorId, tokenHash, sessionHashes }: PresentedCredential,
): Promise<OperatorRole | undefined> {
  let role: OperatorRole = 'owner';
  if (operatorId !== null) {
    const [actor] = await lockActor(tx, operatorId);
    if (actor === undefined) return undefined;
    role = actor.role;
  }
  let presentedHash: string | null | undefined = tokenHash;
  if (sessionHashes !== undefined) {
    const [session] = await lockActorSession(tx, sessionHashes);
    if (session === undefined) return undefined;
    presentedHash = session.tokenHash;
  }
  // The `ADMIN_TOKEN` is valid as long as the process runs, so there is no row to lock.
  if (operatorId === null) return role;
  const [token] = presentedHash == null ? [] : await findActorToken(tx, presentedHash, operatorId);
  return token && role;
}
