import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import type { RequestRecord } from '../api/request-record.ts';
import { openRequestLog } from './log-request.ts';

const finished: RequestRecord = {
  requestId: 'a.b:c_d-1',
  method: 'GET',
  route: '/v1/pets/:petId',
  status: 200,
  aborted: false,
  durationMs: 1.234567,
  errorCode: undefined,
  operation: { operation: 'getPet' },
  apiKey: undefined,
  suspendedKey: undefined,
  tokenPrefix: undefined,
  decision: undefined,
  traceId: undefined,
};

let clock: TestClock;
let lines: unknown[];
let log: ReturnType<typeof openRequestLog>;

beforeEach(() => {
  clock = createTestClock();
  lines = [];
  const options = {
    base: null,
    timestamp: false,
    formatters: { level: (level: string) => ({ level }) },
  };
  const add = (line: string) => lines.push(JSON.parse(line));
  log = openRequestLog({
    clock,
    log: pino(options, { write: add }),
    writeLine: (level, fields, msg) => add(`{"level":"${level}",${fields},"msg":"${msg}"}`),
  });
});
afterEach(() => {
  log.close();
});

/** The line about a request. */
function lineOf(record: Partial<RequestRecord>) {
  log.logRequest({ ...finished, ...record });
  expect(lines).toHaveLength(1);
  return lines[0];
}

test('what is not known has no field', () => {
  expect(lineOf({})).toEqual({
    level: 'info',
    method: 'GET',
    route: '/v1/pets/:petId',
    status: 200,
    durationMs: 1.23,
    requestId: 'a.b:c_d-1',
    msg: 'request',
  });
});

test('an unknown path is not told, and a disconnected client is', () => {
  expect(lineOf({ route: undefined, status: 499, aborted: true, errorCode: 'x' })).toEqual({
    level: 'info',
    method: 'GET',
    route: 'other',
    status: 499,
    durationMs: 1.23,
    errorCode: 'x',
    aborted: true,
    requestId: 'a.b:c_d-1',
    msg: 'request',
  });
});

test('a failure on our side is a warning', () => {
  expect(lineOf({ status: 503 })).toMatchObject({ level: 'warn', status: 503 });
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

const leftOut = 'requests without a line of their own in the last minute';

test('a minute later lines are written again, and skipped ones were reported', async () => {
  written(1_000, caller(undefined, 'denied'));
  written(301, caller('key', 'denied'));
  written(300, caller('other', 'denied'));
  await clock.advance(60_000);
  expect(lines.splice(0).slice(-2)).toEqual([
    { level: 'warn', lines: 700, msg: leftOut },
    { level: 'warn', keyId: 'key', lines: 1, msg: leftOut },
  ]);
  expect(written(1_000, caller(undefined, 'denied'))).toBe(300);
  log.close();
  expect(lines.at(-1)).toEqual({ level: 'warn', lines: 700, msg: leftOut });
});
