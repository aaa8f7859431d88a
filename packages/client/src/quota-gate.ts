import { type Quota, readQuota } from './read-quota.ts';
import type { Answer } from './response.ts';
import { waitFor } from './wait.ts';

// The ban policy of the service: a test compares these with the contract's.
export const minStrikes = 10;
export const strikeShare = 0.5;
export const strikeWindowMs = 60_000;

// A denial at least one second after the first is a strike, and more than so many strikes within a
// minute ban the key. How many requests may be without an answer, as a share of the strikes that do not ban the key yet.
// If another process uses up the quota, at most these are denied. Two processes that share a key
// stay below the ban even if the quota ends twice within a minute and every denial comes late:
// 2 × (3/8 + 1/8) = 1.
const unansweredShare = 3 / 8;
const unansweredShareAfterDenial = 1 / 8;

/**
 * How often one request is sent although the quota is used up: an operator may have lifted the ban
 * or raised the limits, and the client would not learn of it for hours.
 */
const lookEveryMs = 60_000;

/** How long a request goes on at least whose answer the gate needs. */
const minLifeMs = 30_000;

/**
 * How often a waiting call looks again by itself. Normally the end of another call wakes it; but on
 * Cloudflare Workers that other call can vanish together with the request that it served.
 */
const recheckMs = 5_000;

/** Why a call was not let through. */
export interface Refusal {
  /** The quota, none of which remains. */
  quota: Quota;
  /** How long until it resets, in milliseconds. */
  waitMs: number;
}

/** The right to send one request. */
export interface Pass {
  /** After that time the request counts as over, even if `leave` was never called. */
  readonly maxAgeMs: number;
  /**
   * Whether the request may be given up before its answer. If too many were, the gate would not
   * learn that the quota is used up, and each further request could be a strike.
   */
  mayGiveUp(): boolean;
  /** Ends the request, and learns from its answer, if there was one. */
  leave(answer: Answer | undefined): void;
}

/** How a call waits. */
interface EnterOptions {
  /** A call that would wait longer for the reset is refused at once. */
  maxWaitMs: number;
  /** How long a call waits for the answers to earlier requests. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** Every request of one API key to one service passes here, whichever client of the process sends it. */
export interface QuotaGate {
  /** Waits for a place. Gives `undefined` if the signal aborted or the time was up. */
  enter(options: EnterOptions): Promise<Pass | Refusal | undefined>;
}

/**
 * Creates the gate of one key. It lets through no more requests than the last answers say the quota
 * has room for, and holds the other calls back until the reset. Unanswered requests are limited too:
 * a transport may delay them (a browser has six connections), and those that arrive after the quota
 * has run out are strikes.
 */
export function createQuotaGate(): QuotaGate {
  /** What the answers say about the window that has least left, as of the lowest `remaining`. */
  let quota: Quota | undefined;
  let deniedAtMs = 0;
  let sentAtMs = 0;
  let sent = 0;
  /** Requests that ended without an answer since the last answer: the service may have counted them. */
  let lost = 0;
  let lastLost = 0;
  /** Requests without an answer yet, and when they are too old. */
  const inFlight = new Map<Pass, number>();
  const waiting = new Set<() => void>();

  /** Milliseconds until the window ends; 0 if none is known. */
  function timeLeftMs(now: number): number {
    if (quota === undefined) return 0;
    // A clock that is set back must not make the wait longer than the service said.
    quota.endsAtMs = Math.min(quota.endsAtMs, now + quota.lengthMs);
    return Math.max(0, quota.endsAtMs - now);
  }

  function isUsedUp(now: number): boolean {
    return quota?.remaining === 0 && timeLeftMs(now) > 0;
  }

  /** How many requests may be without an answer. */
  function maxUnanswered(now: number): number {
    // At the start and after a reset nobody knows how much is left, say of the day's quota.
    const known = timeLeftMs(now) > 0 ? quota : undefined;
    const strikes = Math.max(minStrikes, (known?.perMinute ?? 0) * strikeShare);
    const share = now - deniedAtMs < strikeWindowMs ? unansweredShareAfterDenial : unansweredShare;
    const most = Math.max(1, Math.floor(strikes * share));
    return Math.min(most, known?.remaining ?? quota?.limit ?? most);
  }

  /** How many more requests may be sent now. */
  function freePlaces(now: number): number {
    const isFree = inFlight.size === 0;
    if (isUsedUp(now)) {
      // In case that the clock was set back.
      sentAtMs = Math.min(sentAtMs, now);
      return isFree && now - sentAtMs >= lookEveryMs ? 1 : 0;
    }
    const places = maxUnanswered(now) - lost - inFlight.size;
    // If only lost requests are in the way, one request finds out whether they were counted.
    return isFree ? Math.max(1, places) : places;
  }

  function learn(answer: Answer, number: number, wasAlone: boolean) {
    const seen = readQuota(answer, quota);
    if (answer.response.status === 429) deniedAtMs = Date.now();
    if (seen === undefined) {
      // Something between here and the service drops the fields; at least it was no denial.
      if (answer.response.ok && wasAlone) quota = undefined;
      return;
    }
    if (number > lastLost) lost = 0;
    if (answer.response.status === 429 || !quota || wasAlone || seen.resetAt > quota.resetAt) {
      // A later reset is that of a later window. An answer to the only request is the latest of all.
      quota = seen;
    } else if (seen.resetAt === quota.resetAt) {
      // Answers arrive in any order, and the lowest is the latest.
      quota.remaining = Math.min(quota.remaining, seen.remaining);
      quota.endsAtMs = Math.min(quota.endsAtMs, seen.endsAtMs);
    }
  }

  function lose(number: number) {
    lost++;
    lastLost = Math.max(lastLost, number);
  }

  function createPass(timeoutMs: number): Pass {
    sentAtMs = Date.now();
    const number = ++sent;
    const wasFirst = inFlight.size === 0;
    const pass: Pass = {
      maxAgeMs: Math.max(timeoutMs, minLifeMs),
      mayGiveUp: () => lost < maxUnanswered(Date.now()),
      leave(answer) {
        const wasUsedUp = isUsedUp(Date.now());
        const wasInFlight = inFlight.delete(pass);
        if (answer !== undefined) learn(answer, number, wasFirst && number === sent);
        else if (wasInFlight) lose(number);
        // Once the quota is used up, everybody decides anew whether to wait that long.
        const isNews = isUsedUp(Date.now()) && !wasUsedUp;
        wakeFirst(isNews ? waiting.size : freePlaces(Date.now()));
      },
    };
    inFlight.set(pass, sentAtMs + pass.maxAgeMs);
    return pass;
  }

  function wakeFirst(count: number) {
    for (const wake of [...waiting].slice(0, Math.max(0, count))) wake();
  }

  function dropOld(now: number) {
    for (const [pass, maxAtMs] of inFlight) {
      if (maxAtMs < now && inFlight.delete(pass)) lose(sent);
    }
  }

  return {
    async enter({ maxWaitMs, timeoutMs, signal }) {
      const deadlineMs = Date.now() + maxWaitMs;
      let placeBeforeMs = Date.now() + timeoutMs;
      let isNew = true;
      while (!signal?.aborted) {
        const now = Date.now();
        dropOld(now);
        // Those who wait already go first.
        if (!(isNew && waiting.size > 0) && freePlaces(now) > 0) return createPass(timeoutMs);
        isNew = false;
        let waitMs = Math.min(placeBeforeMs - now, recheckMs);
        if (quota && isUsedUp(now)) {
          waitMs = timeLeftMs(now);
          if (!(now + waitMs <= deadlineMs)) return { quota, waitMs };
          placeBeforeMs = now + waitMs + timeoutMs;
        } else if (waitMs <= 0) {
          break;
        }
        let wake = () => {};
        const woken = new Promise<void>((resolve) => {
          wake = () => resolve(void waiting.delete(wake));
        });
        waiting.add(wake);
        await waitFor(waitMs, signal, woken);
        wake();
      }
      // The place that this call was woken for is the next one's.
      wakeFirst(freePlaces(Date.now()));
      return undefined;
    },
  };
}
