import type { UsageBucket } from '@animal-store/admin-contract';
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import {
  goTo,
  linkHere,
  linkTo,
  type PageName,
  type Parameters,
  useParameters,
} from '../../address.ts';
import { bucketMs } from '../plot/usage.ts';

const { minute: minuteMs, hour: hourMs, day: dayMs } = bucketMs;

/** The periods that end now. Another period is chosen by its ends, and called `own`. */
export const presets = {
  hour: { label: 'Last hour', bucket: 'minute', lengthMs: hourMs },
  day: { label: 'Last day', bucket: 'hour', lengthMs: dayMs },
  week: { label: 'Last week', bucket: 'hour', lengthMs: 7 * dayMs },
  month: { label: '30 days', bucket: 'day', lengthMs: 30 * dayMs },
} as const;

export type PresetName = keyof typeof presets;

/** A period in Unix milliseconds: its start is included, and its end is not. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The period of the plots. */
export interface TimeRange {
  readonly name: PresetName | 'own';
  /** Whether the period ends now. It does not if the operator has chosen its ends. */
  readonly span: Span;
  readonly bucket: UsageBucket;
}

/** The labels of the buckets. Days are in UTC, whatever the reader's time zone is. */
export const bucketLabels: Readonly<Record<UsageBucket, string>> = {
  minute: 'minute',
  hour: 'hour',
  day: 'UTC day',
};

/** The longest own period. The service stores days for 400 days by default. */
const maxSpanMs = 400 * dayMs;

/**
 * For each bucket: the longest period that is shown in it, and the earliest possible start. The
 * service stores minutes for 48 hours and hours for 90 days, unless its settings are longer.
 */
const finest = [
  { bucket: 'minute', longestMs: 6 * hourMs, keptMs: 47 * hourMs },
  { bucket: 'hour', longestMs: 15 * dayMs, keptMs: 89 * dayMs },
] as const;

/**
 * Reads the period from the address. An own period is in UTC, so that others see the same.
 *
 * @param usual the period if the address has no valid one.
 */
export function readTimeRange(
  { range = '', from = '', to = '' }: SpanParameters,
  usual: PresetName = 'hour',
  now: number = Date.now(),
): TimeRange {
  if (range === 'own') {
    const span = { from: Date.parse(from), to: Date.parse(to) };
    if (faultOf(span) === undefined) return { name: 'own', span, bucket: bucketFor(span, now) };
  }
  const name = Object.hasOwn(presets, range) ? (range as PresetName) : usual;
  const { bucket, lengthMs } = presets[name];
  const end = Math.ceil(now / bucketMs[bucket]) * bucketMs[bucket];
  return { name, bucket, span: { from: end - lengthMs, to: end } };
}

/** Returns what is wrong with an own period; `undefined` if nothing is. */
export function faultOf({ from, to }: Span): string | undefined {
  if (Number.isNaN(from) || Number.isNaN(to)) return 'Choose both times.';
  if (from >= to) return 'The first time must be before the second.';
  if (to - from > maxSpanMs) return 'Choose at most 400 days.';
  return undefined;
}

/** Returns the smallest buckets that are still stored and not too many. */
function bucketFor({ from, to }: Span, now: number): UsageBucket {
  const fits = finest.find(
    ({ longestMs, keptMs }) => to - from <= longestMs && now - from <= keptMs,
  );
  return fits?.bucket ?? 'day';
}

/** The parameters for the admin API. */
export function questionOf({ bucket, span }: TimeRange) {
  return {
    bucket,
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
  };
}

/** Returns the name of a request. The name of a period that ends now does not change while time passes. */
export function subjectOf({ name, span }: TimeRange): string {
  return name === 'own' ? `${span.from}-${span.to}` : name;
}

/**
 * Returns how long a result about a period is shown, in milliseconds. A past period does not
 * change.
 */
export function freshForMs({ bucket, span }: TimeRange, now: number = Date.now()): number {
  return bucket === 'minute' && span.to > now - 5 * minuteMs ? 0 : 10_000;
}

/** Returns the address of the current page with an own period. */
export function linkToSpan(span: Span): string {
  const { from, to } = toBounds(span);
  return linkHere({
    range: 'own',
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
}

/**
 * Shows an own period. The history of the browser gets an entry, so that its back button zooms out
 * again.
 */
export function showSpan(span: Span): void {
  goTo(linkToSpan(span));
}

/** Returns whether a bucket of a period, shown alone, has smaller buckets. */
export function hasSmaller(bucket: UsageBucket, at: number, now: number = Date.now()): boolean {
  return bucketFor({ from: at, to: at + bucketMs[bucket] }, now) !== bucket;
}

type SpanParameters = Parameters<'overview'>;

/** The period of the last visited page with a period, in the form of addresses. */
const lookedAt = signal<SpanParameters>({});

/** The period in the current address. */
export function useTimeRange(usual?: PresetName): TimeRange {
  const { range, from, to } = useParameters('overview');
  // The effect runs before the first paint, because an operator may click a link immediately.
  useLayoutEffect(() => {
    lookedAt.value = range === 'own' ? { range, from, to } : { range };
  }, [range, from, to]);
  return readTimeRange({ range, from, to }, usual);
}

/** The pages with a period. The audit log has times of its own. */
const pagesInTime: readonly PageName[] = ['overview', 'key', 'account', 'deprecation'];

/**
 * Returns the address of a page with the current period: an operator who looks at last Tuesday
 * wants to see other pages on that day, too.
 *
 * @param usual the period if the operator has not chosen one.
 */
export function linkInTime(
  page: PageName,
  { id, usual }: { id?: string; usual?: PresetName } = {},
): string {
  const { range = usual, ...bounds } = lookedAt.value;
  return linkTo(page, { id, query: pagesInTime.includes(page) ? { range, ...bounds } : {} });
}

/** Returns a period with the same middle, `factor` times as long. */
export function zoomOut({ from, to }: Span, factor = 3): Span {
  const more = ((to - from) * (factor - 1)) / 2;
  return { from: from - more, to: to + more };
}

/** Limits a period: not after now, not too long, in whole minutes, and at least five of them. */
export function toBounds({ from, to }: Span, now: number = Date.now()): Span {
  const end = Math.min(Math.ceil(to / minuteMs), Math.ceil(now / minuteMs)) * minuteMs;
  const start = Math.floor(Math.max(from, end - maxSpanMs) / minuteMs) * minuteMs;
  return { from: Math.min(start, end - 5 * minuteMs), to: end };
}
