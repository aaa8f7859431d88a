import { type BanPolicy, windowSeconds } from '@animal-store/contract';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { banLengthSeconds, strikeThreshold } from './ban-policy.ts';
import {
  decisionOnAddress,
  decisionOnKey,
  type KeyReading,
  usageOf,
  type WindowReading,
} from './decision.ts';
import type { OnBan, QuotaKey, Quotas } from './quotas.ts';

/**
 * Keeps quotas in this process's memory: for a single replica, and while Redis is away.
 *
 * The counters are rate-limiter-flexible's. Its own `consume` would count a request in one window
 * even though the other denies it, so counters are read first and raised only on admission, and
 * decisions take turns, because its reads are promises.
 */
export function createInProcessQuotas(options: {
  addressPerMinute: number;
  banPolicy: BanPolicy;
  onBan?: OnBan;
}): Quotas {
  const { addressPerMinute, banPolicy, onBan } = options;
  const minutes = createCounter(windowSeconds.minute);
  const days = createCounter(windowSeconds.day);
  const addresses = createCounter(windowSeconds.minute);
  const episodes = createCounter(windowSeconds.day);
  const strikes = createCounter(banPolicy.strikeWindowSeconds);
  const bans = createCounter(banPolicy.maxBanSeconds);
  const banHistory = createCounter(banPolicy.memorySeconds);

  let lastTurn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(decide: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(decide);
    lastTurn = turn.catch(() => {});
    return turn;
  }

  async function readKey(id: string): Promise<KeyReading> {
    const minute = await minutes.read(id);
    const day = await days.read(id);
    const { used } = await strikes.read(id);
    const { endsAtMs: bannedUntilMs } = await bans.read(id);
    return { now: Date.now(), admitted: false, minute, day, strikes: used, bannedUntilMs };
  }

  async function decideOnKey({ id, quota }: QuotaKey): Promise<KeyReading> {
    const reading = await readKey(id);
    if (reading.bannedUntilMs !== undefined) return reading;
    if (reading.minute.used < quota.perMinute && reading.day.used < quota.perDay) {
      await episodes.forget(id);
      const counted = { admitted: true, minute: await minutes.add(id), day: await days.add(id) };
      // Looked at after the windows, which may have opened just now: none is longer than it is.
      return { ...reading, ...counted, now: Date.now() };
    }
    const threshold = strikeThreshold(banPolicy, quota);
    if (threshold !== undefined) await judgeDenial(id, threshold, reading.now);
    return { ...(await readKey(id)), minute: reading.minute, day: reading.day };
  }

  /** Counts a strike if the denial is one, and bans if it is one too many. */
  async function judgeDenial(id: string, threshold: number, now: number): Promise<void> {
    const episode = await episodes.read(id);
    if (episode.endsAtMs === undefined) await episodes.add(id);
    const beganAtMs = (episode.endsAtMs ?? Number.POSITIVE_INFINITY) - windowSeconds.day * 1000;
    if (now - beganAtMs < banPolicy.graceMs) return;
    const { used } = await strikes.add(id);
    if (used <= threshold) return;

    const nth = (await banHistory.read(id)).used + 1;
    await banHistory.restart(id, nth, banPolicy.memorySeconds);
    const seconds = banLengthSeconds(banPolicy, nth);
    await bans.restart(id, 1, seconds);
    onBan?.({ keyId: id, seconds });
    await strikes.forget(id);
    await episodes.forget(id);
  }

  return {
    takeForKey: (key) =>
      inTurn(async () =>
        decisionOnKey(await decideOnKey(key), key.quota, strikeThreshold(banPolicy, key.quota)),
      ),

    takeForAddress: (network) =>
      inTurn(async () => {
        const before = await addresses.read(network);
        const admitted = before.used < addressPerMinute;
        const minute = admitted ? await addresses.add(network) : before;
        return decisionOnAddress({ now: Date.now(), admitted, minute }, addressPerMinute);
      }),

    peekAddress: (network) =>
      inTurn(async () => {
        const minute = await addresses.read(network);
        return decisionOnAddress({ now: Date.now(), admitted: true, minute }, addressPerMinute);
      }),

    usageOf: ({ id, quota }) =>
      inTurn(async () => usageOf(await readKey(id), quota, strikeThreshold(banPolicy, quota))),

    pardon: (id) =>
      inTurn(async () => {
        for (const counter of [bans, banHistory, strikes, episodes]) await counter.forget(id);
      }),

    // There is no other replica.
    notePardon: () => {},

    close: async () => {},
  };
}

/** Counts by id, each count in a fixed window that the id's first one opens. */
function createCounter(seconds: number) {
  // `points` bounds `consume`, which is not used: limits vary by key and are compared by the caller.
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: seconds });

  async function read(id: string): Promise<WindowReading> {
    // The library tells how long a window still lasts, by its own look at the clock. Both looks must
    // see the same millisecond, or the end of a window would seem to move.
    let now: number;
    let found: ReturnType<RateLimiterMemory['get']>;
    do {
      now = Date.now();
      found = limiter.get(id);
    } while (Date.now() !== now);
    const record = await found;
    if (record === null || record.msBeforeNext <= 0) return { used: 0, endsAtMs: undefined };
    return { used: record.consumedPoints, endsAtMs: now + record.msBeforeNext };
  }

  return {
    read,
    async add(id: string): Promise<WindowReading> {
      await limiter.penalty(id);
      return read(id);
    },
    async restart(id: string, used: number, lengthSeconds: number): Promise<WindowReading> {
      await limiter.set(id, used, lengthSeconds);
      return read(id);
    },
    async forget(id: string): Promise<void> {
      await limiter.delete(id);
    },
  };
}
