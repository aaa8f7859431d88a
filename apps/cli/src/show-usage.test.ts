import type { LedgerOfKey, ServiceLedger, UsageRow } from '@animal-store/admin-contract';
import { expect, test } from 'vitest';
import { bucketFor, formatBars, showBusiestKeys, showKeyUsage } from './show-usage.ts';

const keyId = '00000000-0000-4000-8000-000000000000';

const rowOf = (at: string, outcome: UsageRow['outcome'], requests: number) =>
  ({ at, operation: 'listPets', outcome, requests }) as const;

// Regression: the CLI asked for the minutes of an hour last week, and reported no requests.
test.each([
  ['an hour of today', 'minute', { from: '2026-11-21T08:00:00Z', to: '2026-11-21T09:00:00Z' }],
  ['an hour of last week', 'hour', { from: '2026-11-14T08:00:00Z', to: '2026-11-14T09:00:00Z' }],
  ['an hour that began 3,600,005 ms ago', 'minute', { from: '2026-11-21T08:29:59.995Z' }],
  ['48 hours and 5 ms', 'hour', { from: '2026-11-19T09:29:59.995Z' }],
  ['the last 24 hours', 'hour', {}],
  ['an hour of last spring', 'day', { from: '2026-04-01T08:00:00Z', to: '2026-04-01T09:00:00Z' }],
  ['two weeks', 'day', { from: '2026-11-07T09:30:00Z' }],
])(
  'for %s, bucketFor chooses buckets of one %s, which the service stores by default',
  (_, bucket, period) => {
    expect(bucketFor(period, Date.parse('2026-11-21T09:30:00Z'))).toBe(bucket);
  },
);

test('showKeyUsage draws a bar for each hour with requests, even for a very small number of requests', () => {
  const ledger: LedgerOfKey = {
    keyId,
    from: '2026-11-21T08:00:00.000Z',
    to: '2026-11-21T12:00:00.000Z',
    bucket: 'hour',
    keptSince: '2026-08-23T12:00:00.000Z',
    rows: [
      rowOf('2026-11-21T08:00:00.000Z', 'ok', 1_000),
      rowOf('2026-11-21T08:00:00.000Z', 'denied', 200),
      { ...rowOf('2026-11-21T10:00:00.000Z', 'ok', 600), operation: 'getPet' },
      rowOf('2026-11-21T11:00:00.000Z', 'ok', 1),
    ],
  };
  expect(
    showKeyUsage(ledger, 44),
  ).toBe(`Requests by hour from 2026-11-21 08:00Z to 2026-11-21 12:00Z:

2026-11-21 08:00Z  1,200  ██████████████████
2026-11-21 09:00Z      0
2026-11-21 10:00Z    600  █████████
2026-11-21 11:00Z      1  █

OPERATION  OK     DENIED
listPets   1,001  200
getPet     600    0
`);
  expect(showKeyUsage({ ...ledger, rows: [] }, 44)).toBe(
    'There were no requests from 2026-11-21 08:00Z to 2026-11-21 12:00Z.\n',
  );
});

test('showKeyUsage says since when requests are stored if the period begins earlier', () => {
  const ledger: LedgerOfKey = {
    keyId,
    from: '2026-11-21T08:00:00.000Z',
    to: '2026-11-21T12:00:00.000Z',
    bucket: 'hour',
    keptSince: '2026-11-21T09:30:00.000Z',
    rows: [],
  };
  const notice = 'Requests by hour are stored only since 2026-11-21 09:30Z.';
  expect(showKeyUsage(ledger, 44)).toBe(
    `There were no requests from 2026-11-21 08:00Z to 2026-11-21 12:00Z.\n${notice} Use a longer --bucket for older requests.\n`,
  );
  const rows = [rowOf('2026-11-21T10:00:00.000Z', 'ok', 1)];
  expect(showKeyUsage({ ...ledger, bucket: 'day', rows }, 44)).toContain(
    '\nRequests by day are stored only since 2026-11-21 09:30Z.\n',
  );
});

// Regression: the CLI failed with a TypeError.
test('showKeyUsage shows the report of an earlier version of the service, which has no keptSince', () => {
  const report = {
    keyId,
    from: '2026-11-21T08:00:00.000Z',
    to: '2026-11-21T12:00:00.000Z',
    bucket: 'hour',
    rows: [],
  };
  expect(showKeyUsage(report as unknown as LedgerOfKey, 44)).toBe(
    'There were no requests from 2026-11-21 08:00Z to 2026-11-21 12:00Z.\n',
  );
});

test.each([26, 27, 200])(
  'formatBars prints no line longer than a terminal of %d columns',
  (columns) => {
    const bars = [
      { label: '2026-11-20', count: 1_200 },
      { label: '2026-11-21', count: 0 },
    ];
    const lines = formatBars(bars, columns).trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.some((line) => line.includes('█'))).toBe(columns >= 27);
  },
);

test('showBusiestKeys prints the busiest keys as a table with their errors and denied requests', () => {
  const at = '2026-11-21T00:00:00.000Z';
  const rows = (['ok', 'client_error', 'server_error', 'denied', 'banned', 'refused'] as const).map(
    (outcome, index) => ({ keyId, ...rowOf(at, outcome, 10 ** (5 - index)) }),
  );
  const ledger: ServiceLedger = {
    from: '2026-11-16T00:00:00.000Z',
    to: '2026-11-23T00:00:00.000Z',
    bucket: 'day',
    keptSince: '2025-10-17T09:30:00.000Z',
    keys: [{ keyId, name: null, account: '日本', plan: 'pro', requests: 111_111 }],
    rows,
  };
  expect(showBusiestKeys(ledger)).toBe(`The busiest keys from 2026-11-16 to 2026-11-22 (UTC):

ID                                    NAME  ACCOUNT  PLAN  REQUESTS  ERRORS  DENIED  REFUSED
${keyId}  -     日本     pro   111,111   11,000  110     1
`);
  expect(showBusiestKeys({ ...ledger, keys: [], rows: [] })).toBe(
    'No matching key made a request from 2026-11-16 to 2026-11-22 (UTC).\n',
  );
  const today = { from: '2026-11-22T00:00:00.000Z', to: '2026-11-23T00:00:00.000Z' };
  expect(showBusiestKeys({ ...ledger, ...today })).toMatch(
    /^The busiest keys on 2026-11-22 \(UTC\):\n/,
  );
});
