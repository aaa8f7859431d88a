import type { Database } from '@animal-store/postgres';
import { inTransaction, statement } from '@animal-store/postgres';
import type { Quotas } from '@animal-store/quotas';
import { eq, inArray } from 'drizzle-orm';
import { deleteForgottenBans } from '../bans/ban-log.ts';
import type { ListedBan, ReadBans } from '../bans/current-bans.ts';
import { accounts, apiKeys } from '../schema/schema.ts';
import { quotaOf } from './api-key.ts';
import { findSettled, lockKeys } from './ban-moves.ts';
import { applyPlan } from './key-account.ts';

/**
 * The number of times that bans are read from the table. If Redis has lost its data, each round
 * deletes outdated bans and reads the next ones. After the last round, the list may still show a
 * few outdated bans.
 */
const maxReads = 10;

const findSubjects = statement('find_subjects', (db, ids: string[]) =>
  db
    .select({ key: apiKeys, holder: accounts })
    .from(apiKeys)
    .leftJoin(accounts, eq(accounts.name, apiKeys.account))
    .where(inArray(apiKeys.id, ids)),
);

/**
 * Creates the function that reads bans from the table and asks Redis whether each ban is still
 * active. If Redis has lost its data, it no longer refuses these API keys, so the function deletes
 * their bans from the table.
 *
 * Redis does not report a loss of data. It is enough that this function checks the bans, because
 * operators see bans only through this function.
 */
export function createReadBans(db: Database, quotas: Pick<Quotas, 'look'>): ReadBans {
  /** Returns the bans that Redis does not know, or no bans while Redis is unavailable. */
  async function findForgotten(tx: Database, bans: readonly ListedBan[]): Promise<ListedBan[]> {
    if (bans.length === 0) return [];
    const subjects = await findSubjects(
      tx,
      bans.map(({ keyId }) => keyId),
    );
    const looked = await Promise.all(
      subjects.map(async ({ key, holder }) => {
        const { accountId, quota } = applyPlan({ plan: key.plan, quota: quotaOf(key) }, holder);
        const { bannedUntil, scope } = await quotas.look({ id: key.id, accountId, quota });
        return scope === 'service' && bannedUntil === undefined ? [key.id] : [];
      }),
    );
    const forgotten = new Set(looked.flat());
    return bans.filter(({ keyId }) => forgotten.has(keyId));
  }

  /**
   * Deletes the given bans that Redis does not know, and returns the number of deleted rows.
   *
   * While the ban of an API key moves to another Redis key, Redis does not find the ban, although
   * it will be active again. So the API keys are locked, and bans that move are not deleted.
   */
  async function deleteForgotten(candidates: readonly ListedBan[]): Promise<number> {
    return await inTransaction('delete_forgotten_bans_of_keys', db, async (tx) => {
      const ids = candidates.map(({ keyId }) => keyId);
      await lockKeys(tx, ids);
      const settled = new Set(await findSettled(tx, ids));
      const bans = candidates.filter(({ keyId }) => settled.has(keyId));
      let deleted = 0;
      // If the API key got a new ban after the query, that ban ends later than `until` and is not
      // deleted.
      for (const { keyId, until } of await findForgotten(tx, bans)) {
        deleted += (await deleteForgottenBans(tx, keyId, until)).length;
      }
      return deleted;
    });
  }

  return async function readBans(read, bansOf) {
    for (let reads = 1; ; reads += 1) {
      const found = await read();
      const forgotten = await findForgotten(db, bansOf(found));
      const deleted = forgotten.length === 0 ? 0 : await deleteForgotten(forgotten);
      if (deleted === 0 || reads === maxReads) return found;
    }
  };
}
