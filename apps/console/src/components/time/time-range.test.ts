import type { IssuedSession } from '@animal-store/admin-contract';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';

// The module under test. It reads the address of the page when it is loaded, so the tests replace
// the address before they load the module.
let range: typeof import('./time-range.ts');
let session: typeof import('../../api/session.ts')['session'];
beforeAll(async () => {
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal('addEventListener', () => {});
  range = await import('./time-range.ts');
  ({ session } = await import('../../api/session.ts'));
  return () => vi.unstubAllGlobals();
});

const now = Date.parse('2026-11-21T09:30:20Z');
const own = (from: string, to: string) => ({ range: 'own', from, to });

test.each([
  ['hour', 'minute', '2026-11-21T08:31:00.000Z', '2026-11-21T09:31:00.000Z'],
  ['day', 'hour', '2026-11-20T10:00:00.000Z', '2026-11-21T10:00:00.000Z'],
  ['week', 'hour', '2026-11-14T10:00:00.000Z', '2026-11-21T10:00:00.000Z'],
  ['month', 'day', '2026-10-23T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
])(
  'the plot of the predefined period "last %s" consists of whole buckets of one %s',
  (name, bucket, from, to) => {
    expect(range.periodQueryOf(range.readTimeRange({ range: name }, 'hour', now))).toEqual({
      bucket,
      from,
      to,
    });
  },
);

test.each([
  ['an hour of yesterday', 'minute', own('2026-11-20T08:00:00Z', '2026-11-20T09:00:00Z')],
  [
    'an hour whose counts per minute are no longer stored',
    'hour',
    own('2026-11-17T08:00:00Z', '2026-11-17T09:00:00Z'),
  ],
  ['last Tuesday', 'hour', own('2026-11-17T00:00:00Z', '2026-11-18T00:00:00Z')],
  [
    'a day whose counts per hour are no longer stored',
    'day',
    own('2026-06-02T00:00:00Z', '2026-06-03T00:00:00Z'),
  ],
])(
  'for the period "%s", readTimeRange chooses buckets of one %s, the shortest that are still stored and fit into the plot',
  (_name, bucket, query) => {
    const read = range.readTimeRange(query, 'hour', now);
    expect([read.name, read.bucket]).toEqual(['own', bucket]);
  },
);

test.each([
  ['a period without start and end', { range: 'own' }],
  ['a period that ends before it begins', own('2026-11-20T09:00:00Z', '2026-11-20T08:00:00Z')],
  ['a period that is not a date', own('yesterday', 'today')],
  ['a preset that does not exist', { range: 'constructor' }],
])('readTimeRange returns the default period for an invalid period: %s', (_, query) => {
  expect(range.readTimeRange(query, 'month', now).name).toBe('month');
});

const hour = 3_600;
const day = 24 * hour;

/** Begins a session of a service that keeps usage for a given time. The session ends with the test. */
function keepUsageFor(usageKeptSeconds: { minute: number; hour: number; day: number }): void {
  session.value = { session: { usageKeptSeconds } } as unknown as IssuedSession;
  onTestFinished(() => {
    session.value = undefined;
  });
}

test.each([
  ['hour', 'hour', 'minute', '2026-11-21T08:31:00.000Z'],
  ['day', 'day', 'hour', '2026-11-20T10:00:00.000Z'],
  ['week', 'week', 'day', '2026-11-15T00:00:00.000Z'],
  ['month', 'week', 'day', '2026-11-15T00:00:00.000Z'],
] as const)(
  'if the service keeps hours for a day and days for 20 days, the predefined period "last %s" is "last %s" with buckets of one %s',
  (asked, name, bucket, from) => {
    keepUsageFor({ minute: hour, hour: day, day: 20 * day });
    const read = range.readTimeRange({ range: asked }, 'hour', now);
    expect([read.name, read.bucket]).toEqual([name, bucket]);
    expect(new Date(read.span.from).toISOString()).toBe(from);
    expect(range.isOffered(asked)).toBe(asked === name);
  },
);

test.each([
  ['an hour of this morning', 'hour', own('2026-11-21T07:00:00Z', '2026-11-21T08:00:00Z')],
  ['an hour of the day before', 'day', own('2026-11-19T08:00:00Z', '2026-11-19T09:00:00Z')],
])(
  'if the service keeps minutes for an hour and hours for a day, the period "%s" has buckets of one %s',
  (_name, bucket, query) => {
    keepUsageFor({ minute: hour, hour: day, day: 20 * day });
    expect(range.readTimeRange(query, 'hour', now).bucket).toBe(bucket);
  },
);

test('readTimeRange returns the default period for a period of 401 days, even if the service keeps days for longer', () => {
  keepUsageFor({ minute: hour, hour: day, day: 800 * day });
  const query = own('2025-10-01T00:00:00Z', '2026-11-06T00:00:00Z');
  expect(range.readTimeRange(query, 'month', now).name).toBe('month');
});

test('a period begins at the oldest day that the service still keeps', () => {
  keepUsageFor({ minute: hour, hour: day, day: 20 * day });
  const oldest = Date.parse('2026-11-02T00:00:00Z');
  const early = own('2026-10-20T00:00:00Z', '2026-11-10T00:00:00Z');
  const late = { from: Date.parse(early.from), to: Date.parse(early.to) };
  expect(range.readTimeRange(early, 'hour', now).span.from).toBe(oldest);
  expect(range.toBounds(late, now).from).toBe(oldest);
  expect(range.faultOf(late, now)).toBe(
    'The service stores usage for only 20 days. Enter a later start.',
  );
  const deleted = own('2026-10-20T00:00:00Z', '2026-10-21T00:00:00Z');
  expect(range.readTimeRange(deleted, 'day', now).name).toBe('day');
});

test('toBounds limits the end of a period to the current time, and makes the period at least five minutes long', () => {
  const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
  expect(range.toBounds({ from: at('09:00:30'), to: at('11:00:00') }, now)).toEqual({
    from: at('09:00:00'),
    to: at('09:31:00'),
  });
  expect(range.toBounds({ from: at('09:00:10'), to: at('09:00:50') }, now)).toEqual({
    from: at('08:56:00'),
    to: at('09:01:00'),
  });
});

test('freshForMs returns how long the data of a period may be reused: 10 s for a past period or long buckets, and 0 s for the default period', () => {
  const past = range.readTimeRange(
    own('2026-11-20T08:00:00Z', '2026-11-20T09:00:00Z'),
    'hour',
    now,
  );
  expect(range.freshForMs(past, now)).toBe(10_000);
  expect(range.freshForMs(range.readTimeRange({ range: 'week' }, 'hour', now), now)).toBe(10_000);
  expect(range.freshForMs(range.readTimeRange({}, 'hour', now), now)).toBe(0);
});
