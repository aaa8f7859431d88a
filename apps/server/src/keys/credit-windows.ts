import { adminErrorMessages } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import {
  type ConsumerId,
  type QuotaDecision,
  type Quotas,
  QuotasUnavailableError,
} from '@animal-store/quotas';
import { type Change, recordAudit } from '../audit/audit-log.ts';
import { toQuotaWindows } from '../quotas/quota-windows.ts';
import { AdminRefusal } from '../schema/admin-refusal.ts';

/**
 * Sets the request counts of the current minute and day to zero in Redis. If any requests were
 * counted, this is recorded in the audit log, in the transaction of the caller.
 *
 * @throws {AdminRefusal} if Redis is unavailable. The error rolls back the transaction, so nothing
 * is recorded.
 */
export async function creditWindows(
  tx: Database,
  quotas: Pick<Quotas, 'credit'>,
  {
    key,
    usage,
    ...change
  }: Pick<Change, 'action' | 'cause' | 'subject'> & {
    readonly key: ConsumerId;
    readonly usage: QuotaDecision;
  },
): Promise<void> {
  const { minute, day } = toQuotaWindows(usage);
  const used = { minute: minute.limit - minute.remaining, day: day.limit - day.remaining };
  const after = { used: { minute: 0, day: 0 } };
  if (used.minute > 0 || used.day > 0)
    await recordAudit(tx, { ...change, before: { used }, after });
  try {
    await quotas.credit(key);
  } catch (error) {
    if (!(error instanceof QuotasUnavailableError)) throw error;
    throw new AdminRefusal('service_unavailable', adminErrorMessages.notCredited);
  }
}
