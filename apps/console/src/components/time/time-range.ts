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

/** The spans of time that end now. Another one is chosen by its ends, and called `own`. */
export const presets = {
  hour: { label: 'Last hour', bucket: 'minute', lengthMs: hourMs },
  day: { label: 'Last day', bucket: 'hour', lengthMs: dayMs },
  week: { label: 'Last week', bucket: 'hour', lengthMs: 7 * dayMs },
  month: { label: '30 days', bucket: 'day', lengthMs: 30 * dayMs },
} as const;

export type PresetName = keyof typeof presets;

/** From a time on and before another, in Unix milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The span of time that plots show. */
export interface TimeRange {
  readonly name: PresetName | 'own';
  /** Ends now, unless somebody has chosen the range. */
  readonly span: Span;
  readonly bucket: UsageBucket;
}

/** How the buckets are called. Days are those of UTC, whatever the zone of the reader. */
export const bucketLabels: Readonly<Record<UsageBucket, string>> = {
  minute: 'minute',
  hour: 'hour',
  day: 'UTC day',
};

/** The longest own range: days are kept for 400 by default. */
const maxSpanMs = 400 * dayMs;

/**
 * For each bucket: the longest span that is shown by it, and how far back it may begin. The service keeps
 * minutes for 48 hours and hours for 90 days, unless its settings say more.
 */
const finest = [
  { bucket: 'minute', longestMs: 6 * hourMs, keptMs: 47 * hourMs },
  { bucket: 'hour', longestMs: 15 * dayMs, keptMs: 89 * dayMs },
] as const;

/**
 * Reads the span of time out of the address. Its own range is in UTC, so that others see the same.
 *
 * @param usual the range if the address has none, or none that makes sense.
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

/** What is wrong with an own range; `undefined` if nothing is. */
export function faultOf({ from, to }: Span): string | undefined {
  if (Number.isNaN(from) || Number.isNaN(to)) return 'Choose both times.';
  if (from >= to) return 'The first time must be before the second.';
  if (to - from > maxSpanMs) return 'Choose at most 400 days.';
  return undefined;
}

/** The smallest buckets of which there are not too many, and which are still kept. */
function bucketFor({ from, to }: Span, now: number): UsageBucket {
  const fits = finest.find(
    ({ longestMs, keptMs }) => to - from <= longestMs && now - from <= keptMs,
  );
  return fits?.bucket ?? 'day';
}

/** What the admin API is asked for. */
export function questionOf({ bucket, span }: TimeRange) {
  return {
    bucket,
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
  };
}

/** Names what is asked for: a range that ends now keeps its name while time goes by. */
export function subjectOf({ name, span }: TimeRange): string {
  return name === 'own' ? `${span.from}-${span.to}` : name;
}

/** How long what was answered of a range is shown, in milliseconds. A range that is over changes no more. */
export function freshForMs({ bucket, span }: TimeRange, now: number = Date.now()): number {
  return bucket === 'minute' && span.to > now - 5 * minuteMs ? 0 : 10_000;
}

/** The present page with a range of its own. */
export function linkToSpan(span: Span): string {
  const { from, to } = toBounds(span);
  return linkHere({
    range: 'own',
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
}

/** Shows a range of its own. The history of the browser gets an entry: its back button zooms out again. */
export function showSpan(span: Span): void {
  goTo(linkToSpan(span));
}

/** Whether a bucket of a span of time, looked at alone, is shown by smaller ones. */
export function hasSmaller(bucket: UsageBucket, at: number, now: number = Date.now()): boolean {
  return bucketFor({ from: at, to: at + bucketMs[bucket] }, now) !== bucket;
}

type SpanParameters = Parameters<'overview'>;

/** The span of time of the page that was looked at last and has one, as addresses name it. */
const lookedAt = signal<SpanParameters>({});

/** The span of time that the address of the present page says. */
export function useTimeRange(usual?: PresetName): TimeRange {
  const { range, from, to } = useParameters('overview');
  // Before the page is painted: who sees a link may follow it at once.
  useLayoutEffect(() => {
    lookedAt.value = range === 'own' ? { range, from, to } : { range };
  }, [range, from, to]);
  return readTimeRange({ range, from, to }, usual);
}

/** The pages that show a span of time. The audit log has times of its own. */
const pagesInTime: readonly PageName[] = ['overview', 'key', 'account', 'deprecation'];

/**
 * The address of a page. Who looks at last Tuesday wants to see other pages on that day, too.
 *
 * @param usual the range if the operator has not chosen one.
 */
export function linkInTime(
  page: PageName,
  { id, usual }: { id?: string; usual?: PresetName } = {},
): string {
  const { range = usual, ...bounds } = lookedAt.value;
  return linkTo(page, { id, query: pagesInTime.includes(page) ? { range, ...bounds } : {} });
}

/** A span around the middle of another one, `factor` times as long. */
export function zoomOut({ from, to }: Span, factor = 3): Span {
  const more = ((to - from) * (factor - 1)) / 2;
  return { from: from - more, to: to + more };
}

/** Not after now, not too long, in whole minutes, and at least five of them. */
export function toBounds({ from, to }: Span, now: number = Date.now()): Span {
  const end = Math.min(Math.ceil(to / minuteMs), Math.ceil(now / minuteMs)) * minuteMs;
  const start = Math.floor(Math.max(from, end - maxSpanMs) / minuteMs) * minuteMs;
  return { from: Math.min(start, end - 5 * minuteMs), to: end };
}
