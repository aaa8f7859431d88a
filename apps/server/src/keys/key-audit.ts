import type { AuditAction, AuditState } from '@animal-store/contract/admin';
import { type Cause, recordAudit } from '../audit/audit-log.ts';
import { differenceFromNothing, differenceOf } from '../audit/state-difference.ts';
import type { Database } from '../database/database.ts';
import type { KeyRecord } from './key-record.ts';

/**
 * Records what an operator did to a key. A change that changes nothing makes no entry.
 *
 * @param before `undefined` for a new key.
 */
export async function recordKeyChange(
  tx: Database,
  options: { action: AuditAction; cause: Cause; before: KeyRecord | undefined; after: KeyRecord },
): Promise<void> {
  const { action, cause, before, after } = options;
  const difference =
    before === undefined
      ? differenceFromNothing(stateOf(after))
      : differenceOf(stateOf(before), stateOf(after));
  if (difference === undefined) return;
  await recordAudit(tx, { cause, action, subject: keySubject(after), ...difference });
}

/** A key as the subject of an entry. */
export function keySubject({ id, name, account }: KeyRecord) {
  return { type: 'key', id, name, account } as const;
}

function stateOf(key: KeyRecord): AuditState {
  const { name, account, plan, quota, expiresAt, revokedAt, tokens } = key;
  return {
    name,
    account,
    plan,
    quota: { perMinute: quota.perMinute, perDay: quota.perDay },
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    tokens: tokens.map((token) => ({
      prefix: token.prefix,
      createdAt: token.createdAt.toISOString(),
      expiresAt: token.expiresAt?.toISOString() ?? null,
    })),
  };
}
