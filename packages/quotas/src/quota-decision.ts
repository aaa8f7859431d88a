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
  /** Unix time in milliseconds, by the clock that decided. */
  readonly now: number;
  readonly outcome: Outcome;
  /** The counts. An allowance has only the minute. */
  readonly counts: Partial<Counts> & Pick<Counts, 'minute'>;
  readonly strikes: number;
  /** Unix time in milliseconds; 0 if there are no strikes. */
  readonly strikesEndAtMs: number;
  /** Unix time in milliseconds; 0 if there is no ban. */
  readonly bannedUntilMs: number;
  /** Whether this request began the ban. Only the store in Redis reports it. */
  readonly beganBan?: boolean;
}

/** The limits to which the counts are compared. */
interface AppliedLimits {
  readonly perMinute: number;
  /** `undefined` for an allowance, which has no window for the day. */
  readonly perDay: number | undefined;
  /** How many strikes the caller may have; `undefined` if there are no bans. */
  readonly strikeThreshold: number | undefined;
  /**
   * Whether Redis decided for all replicas, or this replica decided alone because Redis is down.
   */
  readonly scope: 'service' | 'replica';
}

type Windows = readonly [QuotaWindow] | readonly [QuotaWindow, QuotaWindow];

/**
 * A result of rate-limiter-flexible, with both windows, the strikes and the ban.
 *
 * The library compares one count with one limit. Here, the count says whether the request was
 * refused: `consumedPoints` is 0 or 1, and limiters that return this result have 0 `points`.
 */
export class QuotaDecision extends RateLimiterRes {
  /** Unix time in milliseconds, by the clock that decided. */
  readonly decidedAtMs: number;
  readonly outcome: Outcome;
  /** The most restrictive window: `X-RateLimit-*` describe it. */
  readonly reported: QuotaWindow;
  /** Every window that applies: the minute, and for a consumer also the day. */
  readonly windows: Windows;
  /**
   * Whole seconds, at least 1, after which a request is admitted again; 0 if this request was
   * admitted.
   */
  readonly retryAfterSeconds: number;
  readonly strikes: number;
  /** Unix time in seconds at which the strikes expire; `undefined` if there are none. */
  readonly strikesResetAt: number | undefined;
  readonly strikeThreshold: number | undefined;
  /** Whether the message of the 429 warns about a ban. */
  readonly warned: boolean;
  /** Unix time in seconds. */
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

/** Converts a decision about a consumer to the result for the caller. */
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

/** The time is rounded up, so that the ban is over at the reported second. */
function toSeconds(endsAtMs: number): number | undefined {
  return endsAtMs === 0 ? undefined : Math.ceil(endsAtMs / 1_000);
}

/** Describes a window. During a ban, both windows have nothing left. */
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
