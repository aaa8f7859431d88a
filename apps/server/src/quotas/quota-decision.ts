import {
  type BanPolicy,
  isWarned,
  type Quota,
  type QuotaWindow,
  type RateLimitWindow,
  strikeThreshold,
  type WindowName,
  windowSeconds,
} from '@animal-store/contract';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Counts, Outcome } from './quota-rule.ts';

/** What a store answers to a request. */
export interface StoreAnswer {
  /** Unix time in milliseconds, by the clock that decided. */
  readonly now: number;
  readonly outcome: Outcome;
  readonly counts: Counts;
  readonly strikes: number;
  /** Unix time in milliseconds; 0 if there are no strikes. */
  readonly strikesEndAtMs: number;
  /** Unix time in milliseconds; 0 if there is no ban. */
  readonly bannedUntilMs: number;
}

/** The limits that an answer is compared with. */
interface AppliedLimits {
  readonly perMinute: number;
  /** `undefined` for a network, which has no window of the day. */
  readonly perDay: number | undefined;
  /** How many strikes the caller may have; `undefined` if there are no bans. */
  readonly strikeThreshold: number | undefined;
  /** Whether the counts are those of the whole service or of this replica alone. */
  readonly scope: 'service' | 'replica';
}

/** A window with its exact end, of which callers see whole seconds. */
interface ExactWindow extends RateLimitWindow {
  readonly endsAtMs: number;
}

/**
 * A result of rate-limiter-flexible, with both windows, the strikes and the ban.
 *
 * The library compares one count with one limit. Here that is whether the request was refused: its
 * `consumedPoints` are 0 or 1, and limiters that give this result have 0 `points`.
 */
export class QuotaDecision extends RateLimiterRes {
  /** Unix time in milliseconds, by the clock that decided. */
  readonly decidedAtMs: number;
  readonly outcome: Outcome;
  /** The most restrictive window: `X-RateLimit-*` describe it. */
  readonly reported: RateLimitWindow;
  /** Every window that applies. */
  readonly windows: readonly RateLimitWindow[];
  /** Whole seconds, at least 1, after which a request is admitted again; 0 if this one was. */
  readonly retryAfterSeconds: number;
  readonly strikes: number;
  /** Unix time in seconds at which the strikes are forgotten; `undefined` if there are none. */
  readonly strikesResetAt: number | undefined;
  readonly strikeThreshold: number | undefined;
  /** Whether the message warns the caller of a ban. */
  readonly warned: boolean;
  /** Unix time in seconds. */
  readonly bannedUntil: number | undefined;
  readonly scope: 'service' | 'replica';

  constructor(answer: StoreAnswer, limits: AppliedLimits) {
    const { now, outcome, strikes, strikesEndAtMs, bannedUntilMs } = answer;
    const minute = toWindow('minute', limits.perMinute, answer);
    const windows: [ExactWindow, ExactWindow?] =
      limits.perDay === undefined ? [minute] : [minute, toWindow('day', limits.perDay, answer)];
    const reported = outcome === 'admitted' ? leastRemaining(windows) : denyingWindow(windows);
    super(reported.remaining, reported.endsAtMs - now, outcome === 'admitted' ? 0 : 1);
    this.decidedAtMs = now;
    this.outcome = outcome;
    this.reported = reported;
    this.windows = windows as RateLimitWindow[];
    this.retryAfterSeconds = outcome === 'admitted' ? 0 : reported.resetInSeconds;
    this.strikes = strikes;
    this.strikesResetAt = toSeconds(strikesEndAtMs);
    this.strikeThreshold = limits.strikeThreshold;
    this.warned = outcome === 'denied' && isWarned(strikes, limits.strikeThreshold);
    this.bannedUntil = toSeconds(bannedUntilMs);
    this.scope = limits.scope;
  }
}

/** What a caller is told of an answer about a key. */
export function toKeyDecision(
  answer: StoreAnswer,
  {
    quota,
    banPolicy,
    scope,
  }: { quota: Quota; banPolicy: BanPolicy } & Pick<AppliedLimits, 'scope'>,
): QuotaDecision {
  const { perMinute, perDay } = quota;
  const threshold = strikeThreshold(banPolicy, quota);
  return new QuotaDecision(answer, { perMinute, perDay, strikeThreshold: threshold, scope });
}

/** Describes both windows of a key in a body. */
export function toQuotaWindows({ windows }: QuotaDecision): Record<WindowName, QuotaWindow> {
  const [minute, day] = windows.map(({ limit, remaining, resetAt }) => ({
    limit,
    remaining,
    resetsAt: toInstant(resetAt),
  }));
  if (minute === undefined || day === undefined) throw new TypeError('A key has two windows.');
  return { minute, day };
}

/** Formats a Unix time in seconds for a body. */
export function toInstant(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString();
}

/** Rounded up: at the second that is reported, it is over. */
function toSeconds(endsAtMs: number): number | undefined {
  return endsAtMs === 0 ? undefined : Math.ceil(endsAtMs / 1_000);
}

/** The window with the least remaining; if equal, the minute. */
function leastRemaining([minute, day = minute]: readonly [ExactWindow, ExactWindow?]): ExactWindow {
  return day.remaining < minute.remaining ? day : minute;
}

/**
 * The window that a 429 describes, and `Retry-After` is the time until it resets. It is the one that denied
 * the request; if both did, the one that resets later, because the next request is admitted then.
 */
function denyingWindow([minute, day = minute]: readonly [ExactWindow, ExactWindow?]): ExactWindow {
  if (day.remaining > 0) return minute;
  return minute.remaining > 0 || day.endsAtMs > minute.endsAtMs ? day : minute;
}

function toWindow(name: WindowName, limit: number, answer: StoreAnswer): ExactWindow {
  const { now, outcome, bannedUntilMs } = answer;
  const { used, endsAtMs } = answer.counts[name];
  // During a ban both windows are closed. A window that is not open is described as if it began now.
  const resetAtMs =
    outcome === 'banned' ? bannedUntilMs : endsAtMs || now + windowSeconds[name] * 1_000;
  return {
    name,
    limit,
    // A change of plan may have lowered the limit below what was used.
    remaining: outcome === 'banned' ? 0 : Math.max(0, limit - used),
    // Rounded up: at the second that is reported, the window has reset.
    resetAt: Math.ceil(resetAtMs / 1_000),
    // Rounded up as well, so that waiting that long always suffices.
    resetInSeconds: Math.max(1, Math.ceil((resetAtMs - now) / 1_000)),
    endsAtMs: resetAtMs,
  };
}
