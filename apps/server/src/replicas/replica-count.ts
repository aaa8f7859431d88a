import { randomUUID } from 'node:crypto';
import type { Clock } from '@animal-store/runtime';

/**
 * How many of this replica's own heartbeats may arrive without one of a peer. After that, the peer
 * counts as dead.
 */
const missedHeartbeats = 3;

/**
 * More peers than any deployment has. The limit exists because anyone who can use the database can
 * send heartbeats.
 */
const maxPeers = 999;

export type ReplicaCount = ReturnType<typeof createReplicaCount>;

/**
 * Creates the count of this service's replicas, based on their heartbeats.
 *
 * Time is measured in this replica's own heartbeats, which take the same way through Postgres as
 * the heartbeats of its peers. So while Postgres is unavailable, no peer counts as dead and the last count
 * stays.
 */
export function createReplicaCount(options: { id?: string; clock: Pick<Clock, 'elapsed'> }) {
  const { id: ownId = randomUUID(), clock } = options;
  /** For each peer, the number of own heartbeats since the peer's last one. */
  const missed = new Map<string, number>();
  let heardAt = clock.elapsed();

  return {
    id: ownId,

    /**
     * Records a heartbeat.
     *
     * @returns whether it is the first heartbeat of a peer, which does not know this replica yet.
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

    /** Returns the number of replicas, including this one. */
    count: () => missed.size + 1,

    /**
     * Returns the milliseconds since the last heartbeat. More than a few seconds mean that the
     * channel is broken.
     */
    silentMs: () => clock.elapsed() - heardAt,
  };
}
