import type { AuditAction, AuditState } from '@animal-store/contract/admin';
import { type Cause, recordDifference } from '../audit/audit-log.ts';
import type { Database } from '../database/database.ts';
import { toTimes } from '../shared/iso-times.ts';
import type { KeyRecord } from './key-record.ts';

/**
 * Records what an operator did to a key.
 *
 * @param options.before `undefined` for a new key.
 */
export function recordKeyChange(
  tx: Database,
  options: { action: AuditAction; cause: Cause; before: KeyRecord | undefined; after: KeyRecord },
): Promise<void> {
  const { before, after, ...change } = options;
  return recordDifference(tx, {
    ...change,
    subject: keySubject(after),
    before: before && stateOf(before),
    after: stateOf(after),
  });
}

/** A key as the subject of an entry. */
export function keySubject({ id, name, account }: KeyRecord) {
  return { type: 'key', id, name, account } as const;
}

function stateOf(key: KeyRecord): AuditState {
  const { name, account, plan, quota } = key;
  const { createdAt: _, ...times } = toTimes(key);
  const { perMinute, perDay } = quota;
  return { name, account, plan, quota: { perMinute, perDay }, ...times };
}
