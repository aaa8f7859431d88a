import {
  type Quota,
  type RateLimitWindow,
  type WindowName,
  windowSeconds,
} from '@animal-store/contract';
import { isWarned } from './ban-policy.ts';
import type { KeyUsage, QuotaDecision } from './quotas.ts';

/** One window as an adapter's store holds it. */
export interface WindowReading {
  readonly used: number;
  /** Unix time in milliseconds; `undefined` while no request has opened the window. */
  readonly endsAtMs: number | undefined;
}

/** Everything that an adapter's store knows of a key, after it decided. */
export interface KeyReading {
  readonly now: number;
  readonly admitted: boolean;
  readonly minute: WindowReading;
  readonly day: WindowReading;
  /** Unix time in milliseconds. */
  readonly bannedUntilMs: number | undefined;
  readonly strikes: number;
}

/** Tells what a reading means for the caller. Every adapter's decisions are made here, of integers. */
export function decisionOnKey(
  reading: KeyReading,
  quota: Quota,
  threshold: number | undefined,
): QuotaDecision {
  const { now, admitted, bannedUntilMs } = reading;
  const [minute, day] = windowsOf(reading, quota);
  const warned = !admitted && isWarned(reading.strikes, threshold);

  if (bannedUntilMs !== undefined) {
    const resetInSeconds = secondsUntil(bannedUntilMs, now);
    const closed = { remaining: 0, resetAt: Math.ceil(bannedUntilMs / 1000), resetInSeconds };
    const banned = { ...minute, ...closed };
    return {
      outcome: 'banned',
      reported: rateLimitOf(banned),
      windows: [banned, { ...day, ...closed }],
      retryAfterSeconds: resetInSeconds,
      warned: false,
    };
  }
  const windows = [minute, day] as const;
  if (admitted) {
    const reported = day.remaining < minute.remaining ? day : minute;
    return {
      outcome: 'admitted',
      reported: rateLimitOf(reported),
      windows,
      retryAfterSeconds: 0,
      warned,
    };
  }
  // Denied by the minute, the day, or both; of two, the later reset is when there is room again.
  const reported =
    day.remaining === 0 && (minute.remaining > 0 || day.endsAtMs > minute.endsAtMs) ? day : minute;
  return {
    outcome: 'denied',
    reported: rateLimitOf(reported),
    windows,
    retryAfterSeconds: reported.resetInSeconds,
    warned,
  };
}

/** Tells an operator what a reading means. */
export function usageOf(
  reading: KeyReading,
  quota: Quota,
  threshold: number | undefined,
): KeyUsage {
  const { bannedUntilMs, strikes } = reading;
  return {
    scope: 'service',
    windows: windowsOf(reading, quota),
    strikes,
    strikeThreshold: threshold,
    bannedUntil: bannedUntilMs === undefined ? undefined : Math.ceil(bannedUntilMs / 1000),
  };
}

/** As {@link decisionOnKey}, for the single window of a network without a valid key. */
export function decisionOnAddress(
  { now, admitted, minute }: Pick<KeyReading, 'now' | 'admitted' | 'minute'>,
  perMinute: number,
): QuotaDecision {
  const window = toWindow('minute', perMinute, minute, now);
  return {
    outcome: admitted ? 'admitted' : 'denied',
    reported: rateLimitOf(window),
    windows: [window],
    retryAfterSeconds: admitted ? 0 : window.resetInSeconds,
    warned: false,
  };
}

interface Window extends RateLimitWindow {
  readonly endsAtMs: number;
}

function windowsOf({ minute, day, now }: KeyReading, quota: Quota): [Window, Window] {
  return [
    toWindow('minute', quota.perMinute, minute, now),
    toWindow('day', quota.perDay, day, now),
  ];
}

function toWindow(name: WindowName, limit: number, reading: WindowReading, now: number): Window {
  const endsAtMs = reading.endsAtMs ?? now + windowSeconds[name] * 1000;
  return {
    name,
    limit,
    // A plan may have shrunk below what its key had used.
    remaining: Math.max(0, limit - reading.used),
    // Rounded up: at the second that is told, the window has reset.
    resetAt: Math.ceil(endsAtMs / 1000),
    resetInSeconds: secondsUntil(endsAtMs, now),
    endsAtMs,
  };
}

function rateLimitOf({ limit, remaining, resetAt }: Window) {
  return { limit, remaining, resetAt };
}

function secondsUntil(instantMs: number, now: number): number {
  return Math.max(1, Math.ceil((instantMs - now) / 1000));
}
