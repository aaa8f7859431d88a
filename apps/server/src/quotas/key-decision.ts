import type { Quota } from '@animal-store/contract';
import type { QuotaReading } from './quota-result.ts';

/** One request of an API key. */
export interface KeyRequest {
  readonly key: string;
  readonly quota: Quota;
}

/** What `reply.lua` answers for the requests of one key. */
export type KeyReply = readonly number[];

/** Requests that the script decides together. */
interface KeyGroup extends KeyRequest {
  /** The places of its requests among all, in order of arrival. */
  readonly places: number[];
}

/** Groups requests of one key under the same quota. */
export function groupByKey(all: readonly KeyRequest[]): KeyGroup[] {
  const groups: KeyGroup[] = [];
  const latest = new Map<string, KeyGroup>();
  all.forEach(({ key, quota }, place) => {
    let group = latest.get(key);
    // After a change of plan a new group begins, so that the order of arrival is kept.
    if (group?.quota.perMinute !== quota.perMinute || group.quota.perDay !== quota.perDay) {
      group = { key, quota, places: [] };
      groups.push(group);
      latest.set(key, group);
    }
    group.places.push(place);
  });
  return groups;
}

/**
 * Tells what the reply for the requests of a key means for one of them, the `index`-th to arrive: the
 * first are admitted, those after them denied, and the rest banned.
 */
export function readingOf(reply: KeyReply, index: number, now: number): QuotaReading {
  const [admitted = 0, minuteUsed = 0, minuteEnds = 0, dayUsed = 0, dayEnds = 0] = reply;
  const { 5: denied = 0, 6: banEnds = 0, 7: strikesBefore = 0, 8: strikesAfter = 0 } = reply;
  const isAdmitted = index < admitted;
  const isDenied = !isAdmitted && index < admitted + denied;
  // Requests that were admitted after this one.
  const later = isAdmitted ? admitted - 1 - index : 0;
  // Each denial after this one is a strike: only the first denials of an episode are none.
  const laterStrikes = isDenied ? admitted + denied - 1 - index : 0;
  return {
    now,
    outcome: isAdmitted ? 'admitted' : isDenied ? 'denied' : 'banned',
    minute: { used: minuteUsed - later, endsAtMs: minuteEnds },
    day: { used: dayUsed - later, endsAtMs: dayEnds },
    strikes: isAdmitted ? strikesBefore : Math.max(strikesBefore, strikesAfter - laterStrikes),
    bannedUntilMs: isAdmitted || isDenied ? 0 : banEnds,
  };
}

/** Whether one of these requests began a ban. */
export function isBanBegun(reply: KeyReply): boolean {
  return reply[9] === 1;
}
