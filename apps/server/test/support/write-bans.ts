import type { Database } from '@animal-store/postgres';
import { type Ban, createBanLog } from '../../src/bans/ban-log.ts';

/**
 * Returns a ban that began a number of minutes ago, and will end after the same number of minutes.
 */
export const banOf = (keyId: string, minutes: number): Ban => ({
  keyId,
  startedAt: new Date(Date.now() - 60_000 * minutes).toISOString(),
  until: new Date(Date.now() + 60_000 * minutes).toISOString(),
  scope: 'service',
});

/** Writes bans to the database, as a replica does. Throws if a ban is lost. */
export async function writeBans(db: Database, ...bans: readonly Ban[]): Promise<void> {
  const fail = (reason: unknown) => {
    throw new Error('Bans are lost.', { cause: reason });
  };
  const log = createBanLog(db, { onLost: fail, onFailure: fail });
  for (const ban of bans) log.add(ban);
  await log.write();
}
