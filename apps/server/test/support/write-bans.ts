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

/** Creates a ban log, to which each ban is added at the time when the ban began. */
export function createLogOfPastBans(
  db: Database,
  options: Omit<Parameters<typeof createBanLog>[1], 'clock'>,
): ReturnType<typeof createBanLog> {
  let addedAtMs: number | undefined;
  const clock = { elapsed: () => addedAtMs ?? Date.now() };
  const log = createBanLog(db, { ...options, clock });
  return {
    ...log,
    add(ban) {
      addedAtMs = Date.parse(ban.startedAt);
      log.add(ban);
      addedAtMs = undefined;
    },
  };
}

/** Writes bans to the database, as a replica does. Throws if a ban is lost. */
export async function writeBans(db: Database, ...bans: readonly Ban[]): Promise<void> {
  const fail = (reason: unknown) => {
    throw new Error('Bans are lost.', { cause: reason });
  };
  const log = createLogOfPastBans(db, { onLost: fail, onFailure: fail });
  for (const ban of bans) log.add(ban);
  await log.write();
}
