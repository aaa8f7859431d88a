import type { BanPolicy } from './ban-policy.ts';
import type { Quota } from './quota.ts';
import type { StoreAnswer } from './quota-decision.ts';

export interface KeyRequest {
  /** The name of the windows of the request's subject. */
  readonly windowsAt: string;
  /**
   * The name of the strikes and the ban of the key. It is the name of the windows if the key is the
   * subject.
   */
  readonly banAt: string;
  readonly quota: Quota;
}

/** Requests of one key that the script decides together. */
export interface KeyGroup extends KeyRequest {
  /**
   * The indexes of the requests, in order of arrival. An empty list reads the state without
   * counting.
   */
  readonly indexes: number[];
}

/**
 * Groups requests of one key under the same quota. Each key of an account has a group of its own.
 * The order in which concurrent requests of different keys are counted does not matter.
 */
export function groupByKey(all: readonly KeyRequest[]): KeyGroup[] {
  const groups: KeyGroup[] = [];
  const latest = new Map<string, KeyGroup>();
  all.forEach(({ windowsAt, banAt, quota }, index) => {
    let group = latest.get(banAt);
    // A change of the plan begins a new group, so that the order of arrival is kept.
    if (group?.quota.perMinute !== quota.perMinute || group.quota.perDay !== quota.perDay) {
      group = { windowsAt, banAt, quota, indexes: [] };
      groups.push(group);
      latest.set(banAt, group);
    }
    group.indexes.push(index);
  });
  return groups;
}

/**
 * Returns the names for `decide.lua`: one for each group, and a second one if the key shares the
 * windows of an account.
 */
export function scriptNamesOf(groups: readonly KeyGroup[]): string[] {
  return groups.flatMap(({ windowsAt, banAt }) =>
    banAt === windowsAt ? [windowsAt] : [windowsAt, banAt],
  );
}

/** Writes the argument of `decide.lua` with the requests and limits of each group. */
export function writeRequests(groups: readonly KeyGroup[]): string {
  return JSON.stringify(
    groups.flatMap(({ windowsAt, banAt, indexes, quota }) => [
      windowsAt === banAt ? 1 : 2,
      indexes.length,
      quota.perMinute,
      quota.perDay,
    ]),
  );
}

/** Writes the argument of `decide.lua` with the ban policy. */
export function writeBanPolicy(policy: BanPolicy): string {
  return JSON.stringify([
    policy.graceMs,
    policy.minStrikes,
    policy.strikeShare,
    policy.strikeWindowSeconds * 1_000,
    policy.banSeconds * 1_000,
    policy.maxBanSeconds * 1_000,
    policy.memorySeconds * 1_000,
  ]);
}

/** Reads the reply of `decide.lua`, and returns the answer to each request, in their order. */
export function readAnswers(json: string, groups: readonly KeyGroup[]): StoreAnswer[] {
  const [now, ...replies]: [number, ...number[][]] = JSON.parse(json);
  const answers: StoreAnswer[] = [];
  groups.forEach(({ indexes }, i) => {
    indexes.forEach((index, position) => {
      answers[index] = answerTo(replies[i] ?? [], position, now);
    });
  });
  return answers;
}

/** Reads the reply of `decide.lua` for one key whose state was read without counting. */
export function readLook(json: string): StoreAnswer {
  const [now, reply = []]: [number, number[]?] = JSON.parse(json);
  return { ...answerTo(reply, 0, now), outcome: 'admitted' };
}

/**
 * Returns the answer to the `index`-th request of a key. The first requests are admitted, the next
 * ones denied, and the rest banned.
 */
function answerTo(reply: readonly number[], index: number, now: number): StoreAnswer {
  const [admitted = 0, minuteUsed = 0, minuteEnds = 0, dayUsed = 0, dayEnds = 0, ...more] = reply;
  const [denied = 0, banEnds = 0, strikesBefore = 0, strikesAfter = 0, began, strikesEnd = 0] =
    more;
  const isAdmitted = index < admitted;
  const isDenied = !isAdmitted && index < admitted + denied;
  // How many requests were admitted after this one.
  const later = isAdmitted ? admitted - 1 - index : 0;
  // Each denial after this one is a strike, because only the first denials of an episode are not
  // strikes.
  const laterStrikes = isDenied ? admitted + denied - 1 - index : 0;
  return {
    now,
    outcome: isAdmitted ? 'admitted' : isDenied ? 'denied' : 'banned',
    counts: {
      minute: { used: minuteUsed - later, endsAtMs: minuteEnds },
      day: { used: dayUsed - later, endsAtMs: dayEnds },
    },
    strikes: isAdmitted ? strikesBefore : Math.max(strikesBefore, strikesAfter - laterStrikes),
    strikesEndAtMs: strikesEnd,
    bannedUntilMs: isAdmitted || isDenied ? 0 : banEnds,
    beganBan: index === admitted + denied && began === 1,
  };
}
