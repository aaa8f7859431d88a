import { randomUUID } from 'node:crypto';
import type { Clock } from '@animal-store/runtime';

/** After so many of this replica's own heartbeats without one of a peer, the peer has died. */
const missedHeartbeats = 3;

/** More than any deployment has. Anybody who can use the database can send heartbeats. */
const maxPeers = 999;

export type ReplicaCount = ReturnType<typeof createReplicaCount>;

/**
 * Counts the replicas of this service by their heartbeats.
 *
 * Time is counted in heartbeats of this replica that came back to it, not in seconds: they come by
 * the same way as those of its peers. So while Postgres is away, nobody is taken for dead, and the last
 * known count stays.
 */
export function createReplicaCount(options: { id?: string; clock: Pick<Clock, 'elapsed'> }) {
  const { id: ownId = randomUUID(), clock } = options;
  /** How many of our own heartbeats have come since the last one of each peer. */
  const missed = new Map<string, number>();
  let heardAt = clock.elapsed();

  return {
    id: ownId,

    /**
     * Takes note of a heartbeat.
     *
     * @returns whether it is the first of a peer, which does not know this replica yet.
     */
    hear(id: string): boolean {
      heardAt = clock.elapsed();
      if (id !== ownId) {
        const isNew = !missed.has(id);
        if (isNew && missed.size >= maxPeers) return false;
        missed.set(id, 0);
        return isNew;
      }
      for (const [peer, count] of missed) {
        if (count >= missedHeartbeats) missed.delete(peer);
        else missed.set(peer, count + 1);
      }
      return false;
    },

    forget: (id: string) => missed.delete(id),

    /** How many replicas there are, this one included. */
    count: () => missed.size + 1,

    /** Milliseconds since the last heartbeat: longer than a few seconds, nothing is heard. */
    silentMs: () => clock.elapsed() - heardAt,
  };
}
