import { randomUUID } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import type { ReplicaTraffic } from './replica-traffic.ts';

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
  /** What each peer has reported. Those of earlier versions report nothing. */
  const traffic = new Map<string, ReplicaTraffic>();
  let heardAt = clock.elapsed();

  function forget(id: string): void {
    missed.delete(id);
    traffic.delete(id);
  }

  return {
    /** Names this replica in its heartbeats. */
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
        if (count >= missedHeartbeats) forget(peer);
        else missed.set(peer, count + 1);
      }
      return false;
    },

    /** Takes note of what a peer has reported. */
    noteTraffic(id: string, reported: ReplicaTraffic): void {
      if (missed.has(id)) traffic.set(id, reported);
    },

    /** Takes note that a peer has stopped. */
    forget,

    /** What the peers have reported, each in its latest heartbeat. */
    peerTraffic: (): ReplicaTraffic[] => [...traffic.values()],

    /** How many replicas there are, this one included. */
    count: () => missed.size + 1,

    /** Milliseconds since the last heartbeat: longer than a few seconds, nothing is heard. */
    silentMs: () => clock.elapsed() - heardAt,
  };
}
