import { randomUUID } from 'node:crypto';
import type { Clock } from '@animal-store/runtime';

/**
 * The number of this replica's own heartbeats that may arrive without a heartbeat of another
 * replica. After that, the other replica counts as stopped.
 */
const missedHeartbeats = 3;

/**
 * The largest number of other replicas that are counted. Deployments have fewer replicas. The limit
 * exists because anyone who can use the database can send heartbeats.
 */
const maxPeers = 999;

export type ReplicaCount = ReturnType<typeof createReplicaCount>;

/**
 * Creates the count of this service's replicas, based on their heartbeats.
 *
 * Time is measured in heartbeats of this replica, which pass through Postgres like the heartbeats
 * of the others. So while Postgres is down, no other replica counts as stopped, and the count does
 * not change.
 */
export function createReplicaCount(options: { id?: string; clock: Pick<Clock, 'elapsed'> }) {
  const { id: ownId = randomUUID(), clock } = options;
  /**
   * For each other replica, by its id: how many of its own heartbeats this replica has received
   * since the last heartbeat of the other replica.
   */
  const missed = new Map<string, number>();
  let heardAt = clock.elapsed();

  return {
    id: ownId,

    /**
     * Records a heartbeat.
     *
     * @returns whether the heartbeat is the first one of another replica. If so, the other replica
     * does not know this replica yet.
     */
    recordHeartbeat(id: string): boolean {
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
     * Returns the milliseconds since the last heartbeat of any replica. If this is more than a few
     * seconds, the channel between the replicas is broken.
     */
    silentMs: () => clock.elapsed() - heardAt,
  };
}
