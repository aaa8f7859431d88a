import { expect, test } from 'vitest';
import { toBuckets, visibleLimit } from './usage.ts';

const none = { ok: 0, client_error: 0, server_error: 0, denied: 0, banned: 0, refused: 0 };

test('toBuckets returns every bucket of a period, each with the sum of the requests of all rows in that bucket', () => {
  const row = { at: '2026-11-21T09:01:00.000Z', operation: 'listPets' } as const;
  const buckets = toBuckets({
    from: '2026-11-21T09:00:00.000Z',
    to: '2026-11-21T09:03:00.000Z',
    bucket: 'minute',
    rows: [
      { ...row, outcome: 'ok', requests: 2 },
      { ...row, outcome: 'denied', requests: 3 },
      { ...row, operation: 'getPet', outcome: 'ok', requests: 4 },
    ],
  });
  expect(buckets).toEqual([
    { at: new Date('2026-11-21T09:00:00Z'), counts: none, total: 0 },
    { at: new Date('2026-11-21T09:01:00Z'), counts: { ...none, ok: 6, denied: 3 }, total: 9 },
    { at: new Date('2026-11-21T09:02:00Z'), counts: none, total: 0 },
  ]);
});

test.each([
  [0, 100, undefined],
  [39, 100, undefined],
  [40, 100, 100],
  [150, undefined, undefined],
])(
  'for a plot whose highest bar has %d requests and whose limit is %s, visibleLimit returns %s as the limit to draw',
  (highest, limit, shown) => {
    const buckets = [{ at: new Date(0), counts: none, total: highest }];
    expect(visibleLimit(buckets, limit)).toBe(shown);
  },
);
