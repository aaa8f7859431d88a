import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import type { Quotas as KeyQuotas } from '@animal-store/quotas';
import { eq, inArray } from 'drizzle-orm';
import { deleteForgottenBans } from '../audit/ban-log.ts';
import type { ReadBans, ShownBan } from '../schema/current-bans.ts';
import { accounts, apiKeys } from '../schema/schema.ts';
import { quotaOf } from './api-key.ts';
import { applyPlan } from './key-account.ts';

/** So often it reads again, if bans were forgotten: of very many, some are shown once more. */
const maxReads = 10;

const findSubjects = statement('find_subjects', (db, ids: string[]) =>
  db
    .select({ key: apiKeys, holder: accounts })
    .from(apiKeys)
    .leftJoin(accounts, eq(accounts.name, apiKeys.account))
    .where(inArray(apiKeys.id, ids)),
);

/**
 * Creates what reads bans of the table, and asks Redis about those that it has read. Redis may have lost its data:
 * then requests are served again, and the bans are deleted from the table, too. Only here: nobody else asks for them,
 * and no replica is told that Redis has lost something.
 */
export function createReadBans(db: Database, quotas: Pick<KeyQuotas, 'look'>): ReadBans {
  /** What Redis does not know. While it is away, nobody can tell. */
  async function findForgotten(bans: readonly ShownBan[]): Promise<ShownBan[]> {
    if (bans.length === 0) return [];
    const subjects = await findSubjects(
      db,
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

  return async function readBans(read, bansOf) {
    for (let reads = 1; ; reads += 1) {
      const found = await read();
      const forgotten = await findForgotten(bansOf(found));
      let deleted = 0;
      // One that has begun since ends later, and stays.
      for (const { keyId, until } of forgotten) {
        deleted += (await deleteForgottenBans(db, keyId, until)).length;
      }
      if (deleted === 0 || reads === maxReads) return found;
    }
  };
}
