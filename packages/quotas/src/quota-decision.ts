import { RateLimiterRes } from 'rate-limiter-flexible';
import { type BanPolicy, isWarned, strikeThreshold } from './ban-policy.ts';
import type { Counts, Outcome } from './decide.ts';
import {
  describeWindow,
  type Quota,
  type QuotaWindow,
  reportedWindow,
  type WindowCount,
  type WindowName,
} from './quota.ts';

export interface StoreAnswer {
  /**
   * The time of the decision, as Unix time in milliseconds by the clock of Redis or of this
   * replica, whichever decided.
   */
  readonly now: number;
  readonly outcome: Outcome;
  /**
   * The counts of the windows. An allowance (a limit per minute without bans) has only the minute.
   */
  readonly counts: Partial<Counts> & Pick<Counts, 'minute'>;
  readonly strikes: number;
  /**
   * The time when the strikes (denied requests that count towards a ban) expire, as Unix time in
   * milliseconds, or 0 if there are none.
   */
  readonly strikesEndAtMs: number;
  /** The end of the ban, as Unix time in milliseconds, or 0 if there is no ban. */
  readonly bannedUntilMs: number;
  /** Whether this request began the ban. Only the store in Redis reports this. */
  readonly beganBan?: boolean;
}

/** The limits that the counts are compared with. */
interface AppliedLimits {
  readonly perMinute: number;
  /**
   * The limit per day. An allowance (a limit per minute without bans) has no window for the day, so
   * the limit is `undefined`.
   */
  readonly perDay: number | undefined;
  /**
   * The number of strikes (denied requests that count towards a ban) that the caller may have, or
   * `undefined` if there are no bans.
   */
  readonly strikeThreshold: number | undefined;
  /**
   * Whether Redis decided for all replicas of the service (`service`), or this replica decided
   * alone during an outage of Redis (`replica`).
   */
  readonly scope: 'service' | 'replica';
}

type Windows = readonly [QuotaWindow] | readonly [QuotaWindow, QuotaWindow];

/**
 * The decision whether one request is admitted. The decision extends the result of
 * rate-limiter-flexible by all windows, the strikes and the ban.
 *
 * The library compares the number of points that were consumed with a limit of points. In this
 * class, `consumedPoints` is 1 if the request was refused and 0 if it was admitted. Limiters that
 * return this result have a limit of 0 points, so a refused request exceeds the limit.
 */
export class QuotaDecision extends RateLimiterRes {
  /**
   * The time of the decision, as Unix time in milliseconds by the clock of Redis or of this
   * replica, whichever decided.
   */
  readonly decidedAtMs: number;
  readonly outcome: Outcome;
  /** The most restrictive window, which `X-RateLimit-*` describe. */
  readonly reported: QuotaWindow;
  /** All windows that apply: the minute, and for a consumer also the day. */
  readonly windows: Windows;
  /**
   * The number of whole seconds after which the next request is admitted, at least 1. The number is
   * 0 if this request was admitted.
   */
  readonly retryAfterSeconds: number;
  readonly strikes: number;
  /**
   * The time when the strikes (denied requests that count towards a ban) expire, as Unix time in
   * seconds, or `undefined` if there are none.
   */
  readonly strikesResetAt: number | undefined;
  readonly strikeThreshold: number | undefined;
  /** Whether the message of the 429 should warn about a ban. */
  readonly warned: boolean;
  /** The end of the ban, as Unix time in seconds, or `undefined` if there is no ban. */
  readonly bannedUntil: number | undefined;
  readonly scope: AppliedLimits['scope'];

  constructor(answer: StoreAnswer, limits: AppliedLimits) {
    const { now, outcome, counts, strikes, strikesEndAtMs, bannedUntilMs } = answer;
    const minute = windowOf('minute', limits.perMinute, counts.minute, answer);
    const windows: Windows =
      limits.perDay === undefined || counts.day === undefined
        ? [minute]
        : [minute, windowOf('day', limits.perDay, counts.day, answer)];
    const reported = reportedWindow(windows, outcome === 'admitted');
    super(reported.remaining, reported.endsAtMs - now, outcome === 'admitted' ? 0 : 1);
    this.decidedAtMs = now;
    this.outcome = outcome;
    this.reported = reported;
    this.windows = windows;
    this.retryAfterSeconds = outcome === 'admitted' ? 0 : reported.resetInSeconds;
    this.strikes = strikes;
    this.strikesResetAt = toSeconds(strikesEndAtMs);
    this.strikeThreshold = limits.strikeThreshold;
    this.warned = outcome === 'denied' && isWarned(strikes, limits.strikeThreshold);
    this.bannedUntil = toSeconds(bannedUntilMs);
    this.scope = limits.scope;
  }
}

/**
 * Converts the answer that Redis or the memory of this process gave about a consumer to the
 * decision that the caller of this package receives.
 */
export function toDecision(
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

/**
 * Converts milliseconds to seconds, rounded up, so that a ban, or the window in which strikes are
 * counted, has certainly ended at that second. Returns `undefined` for 0.
 */
function toSeconds(endsAtMs: number): number | undefined {
  return endsAtMs === 0 ? undefined : Math.ceil(endsAtMs / 1_000);
}

/**
 * Describes a window for the caller of this package. During a ban, both windows have no requests
 * left.
 */
function windowOf(name: WindowName, limit: number, count: WindowCount, answer: StoreAnswer) {
  const { now, outcome, bannedUntilMs } = answer;
  const isClosed = outcome === 'banned';
  return describeWindow(
    name,
    limit,
    isClosed ? { used: limit, endsAtMs: bannedUntilMs } : count,
    now,
  );
}
