import type { BanPolicy } from './ban-policy.ts';
import type { Quota } from './quota.ts';
import type { StoreAnswer } from './quota-decision.ts';

export interface ConsumerRequest {
  /**
   * The Redis key under which the windows are stored. They belong to the account of the consumer or,
   * without an account, to the consumer itself.
   */
  readonly windowsKey: string;
  /**
   * The Redis key under which the strikes and the ban of the consumer are stored. It equals
   * `windowsKey` if the consumer has no account.
   */
  readonly banKey: string;
  readonly quota: Quota;
}

/** Several requests of one consumer that the script decides together. */
export interface ConsumerGroup extends ConsumerRequest {
  /**
   * The indexes of the requests in the batch, in the order of their arrival. If there are none, the
   * script only reads the state.
   */
  readonly indexes: number[];
}

/**
 * Groups the requests of a batch by consumer and quota. Consumers of the same account have separate
 * groups. The requests of different consumers are concurrent, so the order in which the groups are
 * counted does not matter.
 */
export function groupByConsumer(all: readonly ConsumerRequest[]): ConsumerGroup[] {
  const groups: ConsumerGroup[] = [];
  const latest = new Map<string, ConsumerGroup>();
  all.forEach(({ windowsKey, banKey, quota }, index) => {
    let group = latest.get(banKey);
    // If the plan changes between two requests, a new group begins. So the requests with the old
    // quota are counted before the requests with the new quota.
    if (group?.quota.perMinute !== quota.perMinute || group.quota.perDay !== quota.perDay) {
      group = { windowsKey, banKey, quota, indexes: [] };
      groups.push(group);
      latest.set(banKey, group);
    }
    group.indexes.push(index);
  });
  return groups;
}

/**
 * Returns the Redis keys for the call of `decide.lua`. Each group has one Redis key, or two if the
 * consumer shares the windows of an account.
 */
export function redisKeysOf(groups: readonly ConsumerGroup[]): string[] {
  return groups.flatMap(({ windowsKey, banKey }) =>
    banKey === windowsKey ? [windowsKey] : [windowsKey, banKey],
  );
}

/** Writes the first argument of `decide.lua`: the requests and limits of each group. */
export function writeRequests(groups: readonly ConsumerGroup[]): string {
  return JSON.stringify(
    groups.flatMap(({ windowsKey, banKey, indexes, quota }) => [
      windowsKey === banKey ? 1 : 2,
      indexes.length,
      quota.perMinute,
      quota.perDay,
    ]),
  );
}

/** Writes the second argument of `decide.lua`: the ban policy. */
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

/** Reads the reply of `decide.lua`. Returns the answers in the order of the requests. */
export function readAnswers(json: string, groups: readonly ConsumerGroup[]): StoreAnswer[] {
  const [now, ...replies]: [number, ...number[][]] = JSON.parse(json);
  const answers: StoreAnswer[] = [];
  groups.forEach(({ indexes }, i) => {
    indexes.forEach((index, position) => {
      answers[index] = answerTo(replies[i] ?? [], position, now);
    });
  });
  return answers;
}

/**
 * Reads the reply of `decide.lua` for a consumer whose state was read without counting a request.
 */
export function readLook(json: string): StoreAnswer {
  const [now, reply = []]: [number, number[]?] = JSON.parse(json);
  return { ...answerTo(reply, 0, now), outcome: 'admitted' };
}

/**
 * Returns the answer to one request of a group, by its position. The first requests of a group are
 * admitted, the next ones are denied, and the rest are refused because of a ban.
 */
function answerTo(reply: readonly number[], index: number, now: number): StoreAnswer {
  const [admitted = 0, minuteUsed = 0, minuteEnds = 0, dayUsed = 0, dayEnds = 0, ...more] = reply;
  const [denied = 0, banEnds = 0, strikesBefore = 0, strikesAfter = 0, began, strikesEnd = 0] =
    more;
  const isAdmitted = index < admitted;
  const isDenied = !isAdmitted && index < admitted + denied;
  // The number of requests in the same group that come after this one and were admitted.
  const later = isAdmitted ? admitted - 1 - index : 0;
  // The number of requests in the same group that come after this one and were denied. Usually, each
  // of them is a strike, so the script has counted these strikes, too, and they are subtracted
  // below. Within the grace period of an episode (a series of denied requests), no request is a
  // strike. The difference would then be too small, so the number of strikes before the group is
  // the minimum.
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
