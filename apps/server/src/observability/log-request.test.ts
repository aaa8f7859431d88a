import { METHODS } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RequestRecord } from '../api/request-record.ts';
import { openRequestLog, type SkippedLines } from './log-request.ts';

const finished: RequestRecord = {
  requestId: 'a.b:c_d-1',
  method: 'GET',
  route: '/v1/pets/:petId',
  status: 200,
  aborted: false,
  durationMs: 1.234567,
  errorCode: undefined,
  operation: 'getPet',
  apiKey: undefined,
  tokenPrefix: undefined,
  decision: undefined,
};

let lines: unknown[];
let skipped: SkippedLines[];
let log: ReturnType<typeof openRequestLog>;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  skipped = [];
  log = openRequestLog(
    (level, fields) => lines.push([level, JSON.parse(`{${fields}}`)]),
    (it) => skipped.push(it),
  );
});
afterEach(() => {
  log.close();
  vi.useRealTimers();
});

/** The level and the fields of the line about a request. */
function lineOf(record: Partial<RequestRecord>) {
  log.logRequest({ ...finished, ...record });
  expect(lines).toHaveLength(1);
  return lines[0];
}

test('what is not known has no field', () => {
  expect(lineOf({})).toEqual([
    'info',
    {
      method: 'GET',
      route: '/v1/pets/:petId',
      status: 200,
      durationMs: 1.23,
      requestId: 'a.b:c_d-1',
    },
  ]);
});

test('an unknown path is not told, and a disconnected client is', () => {
  expect(lineOf({ route: undefined, status: 499, aborted: true, errorCode: 'x' })).toEqual([
    'info',
    {
      method: 'GET',
      route: 'other',
      status: 499,
      durationMs: 1.23,
      errorCode: 'x',
      aborted: true,
      requestId: 'a.b:c_d-1',
    },
  ]);
});

test('a failure on our side is a warning', () => {
  expect(lineOf({ status: 503 })).toMatchObject(['warn', { status: 503 }]);
});

test('no method that Node accepts needs escaping', () => {
  expect(METHODS.filter((method) => JSON.stringify(method) !== `"${method}"`)).toEqual([]);
});

const caller = (id: string | undefined, outcome: 'admitted' | 'denied' | undefined) =>
  ({
    apiKey: id === undefined ? undefined : { id, plan: 'free' },
    decision: outcome === undefined ? undefined : { outcome, reported: { remaining: 0 } },
  }) as RequestRecord;

/** How many of so many requests get a line. */
function written(times: number, from: RequestRecord): number {
  const before = lines.length;
  for (let i = 0; i < times; i++) log.logRequest({ ...finished, ...from });
  return lines.length - before;
}

test('every request that the quota of a key admits gets its line', () => {
  expect(written(5_000, caller('key', 'admitted'))).toBe(5_000);
});

// Regression: an attacker could fill the disk with lines about refused requests.
test('requests without a valid key share 300 lines a minute, whether refused or not', () => {
  expect(written(150, caller(undefined, 'admitted'))).toBe(150);
  expect(written(1_000, caller(undefined, 'denied'))).toBe(150);
  expect(written(1_000, caller(undefined, undefined))).toBe(0);
});

test('refused requests of a key have 300 lines a minute of their own', () => {
  written(1_000, caller(undefined, 'denied'));
  expect(written(1_000, caller('one', 'denied'))).toBe(300);
  expect(written(1_000, caller('two', 'denied'))).toBe(300);
});

test('a minute later lines are written again, and skipped ones were reported', () => {
  written(1_000, caller(undefined, 'denied'));
  written(301, caller('key', 'denied'));
  written(300, caller('other', 'denied'));
  vi.advanceTimersByTime(60_000);
  expect(skipped).toEqual([
    { keyId: undefined, lines: 700 },
    { keyId: 'key', lines: 1 },
  ]);
  expect(written(1_000, caller(undefined, 'denied'))).toBe(300);
  log.close();
  expect(skipped.at(-1)).toEqual({ keyId: undefined, lines: 700 });
});
