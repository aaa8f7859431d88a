import { adminErrorMessages, type Key } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { type EndedBan, type Quotas, QuotasUnavailableError } from '@animal-store/quotas';
import { AdminRefusal } from '../schema/admin-refusal.ts';
import type { BanMoves } from './ban-moves.ts';
import { findStoredAccount } from './key-account.ts';

/**
 * Ends the ban of a locked API key in Redis. If another operator gives the account its first plan
 * at the same time, the ban moves from the data of the key in Redis to the data of the account.
 * So the function looks for the account again, and also ends the ban in the data of the account.
 * It also ends the copies that an unfinished move of the ban may have left in other accounts.
 * Otherwise, the replica that finishes the move later would bring the ban back.
 *
 * @returns what was ended: the ban, and the number of strikes (denied requests that count towards
 * a ban).
 * @throws {AdminRefusal} if Redis is unavailable. The ban is then not ended later, because this
 * replica of the service might stop before that.
 */
export async function endBan(
  tx: Database,
  { id, account }: Key,
  quotas: Pick<Quotas, 'unban'>,
  moves: Pick<BanMoves, 'findPendingAccountIds'>,
): Promise<EndedBan> {
  const findAccountId = async () => (await findStoredAccount(tx, account))?.id;
  try {
    const accountId = await findAccountId();
    const ended = await quotas.unban({ id, accountId });
    const createdId = accountId ?? (await findAccountId());
    const others = new Set([createdId, ...(await moves.findPendingAccountIds(tx, id))]);
    others.delete(accountId);
    const endedInOthers: EndedBan[] = [];
    for (const other of others) endedInOthers.push(await quotas.unban({ id, accountId: other }));
    return [ended, ...endedInOthers].find(({ bannedUntil }) => bannedUntil !== undefined) ?? ended;
  } catch (error) {
    if (!(error instanceof QuotasUnavailableError)) throw error;
    throw new AdminRefusal('service_unavailable', adminErrorMessages.notUnbanned);
  }
}
