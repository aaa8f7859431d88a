import type { UsageBucket, UsageKeptSeconds } from '@animal-store/admin-contract';
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
import { session } from '../../api/session.ts';
import { bucketMs } from '../plot/usage.ts';

const { minute: minuteMs, hour: hourMs, day: dayMs } = bucketMs;

/**
 * The predefined periods, which end now. A period that the operator has entered has the name `own`.
 */
export const presets = {
  hour: { label: 'Last hour', bucket: 'minute', lengthMs: hourMs },
  day: { label: 'Last day', bucket: 'hour', lengthMs: dayMs },
  week: { label: 'Last week', bucket: 'hour', lengthMs: 7 * dayMs },
  month: { label: 'Last 30 days', bucket: 'day', lengthMs: 30 * dayMs },
} as const;

export type PresetName = keyof typeof presets;

/** A period in Unix milliseconds. It includes its start, but not its end. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The selected period of the plots. */
export interface TimeRange {
  readonly name: PresetName | 'own';
  /** The start and end of the period. */
  readonly span: Span;
  readonly bucket: UsageBucket;
}

/**
 * The labels of the bucket lengths. A day begins at midnight UTC, even if the reader is in another
 * time zone.
 */
export const bucketLabels: Readonly<Record<UsageBucket, string>> = {
  minute: 'minute',
  hour: 'hour',
  day: 'UTC day',
};

/** The longest period that an operator can choose. */
const maxSpanMs = 400 * dayMs;

/** The longest periods that are plotted with buckets of a minute and of an hour. */
const finest = [
  { bucket: 'minute', longestMs: 6 * hourMs },
  { bucket: 'hour', longestMs: 15 * dayMs },
] as const;

/**
 * How long the service keeps usage by default, in seconds. The values apply to sessions that a
 * service of an earlier version began, because these sessions do not contain the values.
 */
const defaultKeptSeconds: UsageKeptSeconds = {
  minute: (48 * hourMs) / 1_000,
  hour: (90 * dayMs) / 1_000,
  day: (400 * dayMs) / 1_000,
};

/** Returns how long the service keeps the counts of minutes, hours or days, in milliseconds. */
function keptMsOf(bucket: UsageBucket): number {
  const issued: { usageKeptSeconds?: UsageKeptSeconds } | undefined = session.value?.session;
  return (issued?.usageKeptSeconds ?? defaultKeptSeconds)[bucket] * 1_000;
}

/**
 * Returns the start of the oldest day whose counts the service keeps. The console shows no earlier
 * time, because deleted counts would look like 0 requests.
 */
export function oldestStart(now: number = Date.now()): number {
  return Math.ceil((now - keptMsOf('day')) / dayMs) * dayMs;
}

/**
 * Returns the bucket length of a predefined period: its own, or a day if the service does not keep
 * the smaller buckets for so long. Returns `undefined` if the service keeps neither.
 */
function presetBucket(name: PresetName): UsageBucket | undefined {
  const { bucket, lengthMs } = presets[name];
  return ([bucket, 'day'] as const).find((one) => keptMsOf(one) >= lengthMs);
}

/** Returns whether the service keeps usage for as long as a predefined period. */
export const isOffered = (name: PresetName): boolean => presetBucket(name) !== undefined;

/**
 * Reads the period from the parameters of an address. An address contains times in UTC, so that the
 * same link shows the same period to everybody.
 *
 * @param defaultRange the period to return if the address contains no valid period.
 */
export function readTimeRange(
  { range = '', from = '', to = '' }: SpanParameters,
  defaultRange: PresetName = 'hour',
  now: number = Date.now(),
): TimeRange {
  if (range === 'own') {
    // The part of the period that is no longer stored is left out.
    const span = { from: Math.max(Date.parse(from), oldestStart(now)), to: Date.parse(to) };
    if (faultOf(span, now) === undefined)
      return { name: 'own', span, bucket: bucketFor(span, now) };
  }
  const chosen = Object.hasOwn(presets, range) ? (range as PresetName) : defaultRange;
  const name = isOffered(chosen) ? chosen : longestOffered();
  const bucket = presetBucket(name) ?? presets[name].bucket;
  const end = Math.ceil(now / bucketMs[bucket]) * bucketMs[bucket];
  return { name, bucket, span: { from: end - presets[name].lengthMs, to: end } };
}

/** Returns the longest predefined period for which the service keeps usage. */
function longestOffered(): PresetName {
  const names = Object.keys(presets) as PresetName[];
  return names.findLast(isOffered) ?? 'hour';
}

/** Returns an error message for an invalid period; `undefined` if the period is valid. */
export function faultOf({ from, to }: Span, now: number = Date.now()): string | undefined {
  if (Number.isNaN(from) || Number.isNaN(to)) return 'Enter a start and an end.';
  if (from >= to) return 'The start must be before the end.';
  if (to - from > maxSpanMs) return 'The period must not be longer than 400 days.';
  if (from < oldestStart(now)) {
    const days = Math.floor(keptMsOf('day') / dayMs);
    return `The service stores usage for only ${days} days. Enter a later start.`;
  }
  return undefined;
}

/**
 * Returns the smallest bucket length for which the service still has data and the plot has few
 * enough bars.
 */
function bucketFor({ from, to }: Span, now: number): UsageBucket {
  const fits = finest.find(
    ({ bucket, longestMs }) =>
      to - from <= longestMs &&
      // The first bucket of the plot may begin before the period, and must still be stored.
      now - from <= keptMsOf(bucket) - bucketMs[bucket],
  );
  return fits?.bucket ?? 'day';
}

/** Returns the parameters of the period for the admin API. */
export function periodQueryOf({ bucket, span }: TimeRange) {
  return {
    bucket,
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
  };
}

/**
 * Returns the cache key of a period. If the period ends now, the key does not change while time
 * passes.
 */
export function subjectOf({ name, span }: TimeRange): string {
  return name === 'own' ? `${span.from}-${span.to}` : name;
}

/**
 * Returns how long the history of a period may be cached, in milliseconds. The numbers of the last
 * 5 minutes still change quickly. So a history with one bucket for each minute is not cached if its
 * period includes these 5 minutes.
 */
export function freshForMs({ bucket, span }: TimeRange, now: number = Date.now()): number {
  return bucket === 'minute' && span.to > now - 5 * minuteMs ? 0 : 10_000;
}

/** Creates the address of the current page with another period. */
export function linkToSpan(span: Span): string {
  const { from, to } = toBounds(span);
  return linkHere({
    range: 'own',
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
}

/**
 * Shows another period on the current page. The browser's history gets an entry, so that the back
 * button returns to the previous period.
 */
export function showSpan(span: Span): void {
  goTo(linkToSpan(span));
}

/**
 * Returns whether a bucket can be plotted in smaller buckets, because the service still has their
 * counts.
 */
export function hasSmaller(bucket: UsageBucket, at: number): boolean {
  return bucketFor({ from: at, to: at + bucketMs[bucket] }, Date.now()) !== bucket;
}

type SpanParameters = Parameters<'overview'>;

/** The last period that a visited page had, as parameters of an address. */
const lastPeriod = signal<SpanParameters>({});

/** Returns the period in the current address. */
export function useTimeRange(defaultRange?: PresetName): TimeRange {
  const { range, from, to } = useParameters('overview');
  // The effect runs before the first paint, because an operator may click a link immediately.
  useLayoutEffect(() => {
    lastPeriod.value = range === 'own' ? { range, from, to } : { range };
  }, [range, from, to]);
  return readTimeRange({ range, from, to }, defaultRange);
}

/** The pages whose address contains a period. The audit log has filters for its times instead. */
const pagesWithPeriod: readonly PageName[] = ['overview', 'key', 'account', 'deprecation'];

/**
 * Creates the address of a page with the current period. An operator who looks at last Tuesday
 * wants to see other pages on that day, too.
 *
 * @param defaultRange the period if the operator has not chosen one.
 */
export function linkWithPeriod(
  page: PageName,
  { id, defaultRange }: { id?: string; defaultRange?: PresetName } = {},
): string {
  const { range = defaultRange, ...bounds } = lastPeriod.value;
  return linkTo(page, { id, query: pagesWithPeriod.includes(page) ? { range, ...bounds } : {} });
}

/** Returns a period that is three times as long and has the same middle. */
export function zoomOut({ from, to }: Span): Span {
  const lengthMs = to - from;
  return { from: from - lengthMs, to: to + lengthMs };
}

/**
 * Adjusts a period to the limits of the page. It ends now at the latest, has whole minutes, is at
 * least five minutes long, is not longer than the maximum, and begins when usage is still stored.
 */
export function toBounds({ from, to }: Span, now: number = Date.now()): Span {
  const end = Math.min(Math.ceil(to / minuteMs), Math.ceil(now / minuteMs)) * minuteMs;
  const earliest = Math.max(end - maxSpanMs, oldestStart(now));
  const start = Math.floor(Math.max(from, earliest) / minuteMs) * minuteMs;
  return { from: Math.min(start, end - 5 * minuteMs), to: end };
}
