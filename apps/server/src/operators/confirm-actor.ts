import type { OperatorRole } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { isStillUnexpired } from '../schema/lifetime.ts';
import { operatorSessions, operators, operatorTokens } from '../schema/schema.ts';

/**
 * Locks the actor's row in share mode. Revoking an operator or rotating its token takes the same
 * lock for update.
 */
const lockActor = statement('lock_actor', (tx, id: string) =>
  tx
    .select({ role: operators.role })
    .from(operators)
    .where(
      and(eq(operators.id, id), isNull(operators.revokedAt), isStillUnexpired(operators.expiresAt)),
    )
    .for('share'),
);

const lockActorSession = statement('lock_actor_session', (tx, hashes: string[]) =>
  tx
    .select({ tokenHash: operatorSessions.tokenHash })
    .from(operatorSessions)
    .where(
      and(inArray(operatorSessions.hash, hashes), isStillUnexpired(operatorSessions.expiresAt)),
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
        isStillUnexpired(operatorTokens.expiresAt),
      ),
    ),
);

/** The credential that an operator has sent. */
export interface ShownCredential {
  /** `null` for the `ADMIN_TOKEN`. */
  readonly operatorId: string | null;
  /**
   * The hash of the operator's token; `undefined` if the credential is a session or the
   * `ADMIN_TOKEN`.
   */
  readonly tokenHash: string | undefined;
  /** The hashes under which the session may be stored; `undefined` if the credential is a token. */
  readonly sessionHashes: string[] | undefined;
}

/**
 * Finds the role of the operator who makes a change, and locks it until the transaction ends. A
 * revocation, a rotation or the end of the session comes before the change or waits for it.
 * Otherwise a revoked operator could finish a change that was authorised earlier, and create
 * another operator.
 *
 * @returns `undefined` if the operator, its token or its session has ended.
 */
export async function confirmActor(
  tx: Database,
  { operatorId, tokenHash, sessionHashes }: ShownCredential,
): Promise<OperatorRole | undefined> {
  let role: OperatorRole = 'owner';
  if (operatorId !== null) {
    const [actor] = await lockActor(tx, operatorId);
    if (actor === undefined) return undefined;
    role = actor.role;
  }
  let shownHash: string | null | undefined = tokenHash;
  if (sessionHashes !== undefined) {
    const [session] = await lockActorSession(tx, sessionHashes);
    if (session === undefined) return undefined;
    shownHash = session.tokenHash;
  }
  // The `ADMIN_TOKEN` is valid as long as the process runs.
  if (operatorId === null) return role;
  const [token] = shownHash == null ? [] : await findActorToken(tx, shownHash, operatorId);
  return token && role;
}
