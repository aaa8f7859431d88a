import { expect, test } from 'vitest';
import { countByOutcome, sumOf, toBuckets, visibleLimit } from './usage.ts';

const row = (at: string, outcome: 'ok' | 'denied', requests: number) =>
  ({ at: `2026-11-21T${at}:00.000Z`, operation: 'listPets', outcome, requests }) as const;

test('every bucket of a span of time is there, with or without requests', () => {
  const buckets = toBuckets({
    from: '2026-11-21T09:00:00.000Z',
    to: '2026-11-21T09:03:00.000Z',
    bucket: 'minute',
    rows: [row('09:01', 'ok', 2), row('09:01', 'denied', 3)],
  });
  expect(buckets.map(({ at, total }) => [at.toISOString().slice(11, 16), total])).toEqual([
    ['09:00', 0],
    ['09:01', 5],
    ['09:02', 0],
  ]);
  expect(buckets[1]?.counts).toMatchObject({ ok: 2, denied: 3, banned: 0 });
});

test('rows of all operations and times add up by outcome', () => {
  const counts = countByOutcome([
    row('09:00', 'ok', 2),
    row('09:01', 'ok', 5),
    row('09:01', 'denied', 1),
  ]);
  const others = { client_error: 0, server_error: 0, banned: 0, refused: 0 };
  expect(counts).toEqual({ ok: 7, denied: 1, ...others });
  expect(sumOf(counts)).toBe(8);
});

test.each([
  [0, 100, undefined],
  [39, 100, undefined],
  [40, 100, 100],
  [150, 100, 100],
  [150, undefined, undefined],
])(
  'a plot whose highest bucket is %d and whose limit is %s shows the limit %s',
  (highest, limit, shown) => {
    const counts = countByOutcome([row('09:00', 'ok', highest)]);
    const buckets = [{ at: new Date(0), counts, total: highest }];
    expect(visibleLimit(buckets, limit)).toBe(shown);
  },
);
