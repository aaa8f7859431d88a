import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { finishedRequest } from '../test/finished-request.ts';
import { openLog } from './log.ts';
import { openRequestLog } from './log-request.ts';
import type { RequestRecord } from './request-record.ts';

const finished: RequestRecord = {
  ...finishedRequest,
  requestId: 'a.b:c_d-1',
  durationMs: 1.234567,
  waits: { queueMs: 0.004, redisMs: 1.5, sqlMs: 250.126, bodyMs: 0 },
  operation: { operation: 'getPet' },
};

let clock: TestClock;
let lines: unknown[];
let log: ReturnType<typeof openRequestLog>;

beforeEach(() => {
  clock = createTestClock();
  lines = [];
  function write(json: string) {
    const { time: _, ...line } = JSON.parse(json);
    lines.push(line);
  }
  const opened = openLog({ level: 'info', format: 'json', write, clock });
  log = openRequestLog({ ...opened, clock, slowRequestMs: 1_000 });
});
afterEach(() => log.close());

test('openRequestLog logs a 5xx response as a warning, without the fields that have no value', () => {
  const unknown = { route: undefined, operation: undefined };
  log.logRequest({ ...finished, ...unknown, status: 503, aborted: true });
  const fields = { level: 'warn', method: 'GET', route: 'other', status: 503, aborted: true };
  expect(lines).toEqual([{ ...fields, durationMs: 1.23, requestId: 'a.b:c_d-1', msg: 'request' }]);
});

/** Logs a request of an API key several times and returns how many log lines were written. */
function written(times: number, id: string | undefined, outcome?: 'admitted' | 'denied'): number {
  const before = lines.length;
  const key = id === undefined ? undefined : { id, plan: 'free' };
  const decision = outcome === undefined ? undefined : { outcome, reported: { remaining: 0 } };
  const record = { ...finished, key, decision } as RequestRecord;
  for (let i = 0; i < times; i++) log.logRequest(record);
  return lines.length - before;
}

// Regression: an attacker could fill the disk with log lines about refused requests.
test('openRequestLog writes at most 300 lines a minute for all requests without an API key, and 300 for the refused requests of each API key', async () => {
  expect(written(1_000, 'one', 'admitted')).toBe(1_000);
  expect(written(150, undefined, 'admitted')).toBe(150);
  expect(written(850, undefined, 'denied')).toBe(150);
  expect(written(1_000, undefined)).toBe(0);
  expect(written(301, 'one', 'denied')).toBe(300);
  expect(written(300, 'two', 'denied')).toBe(300);
  await clock.advance(60_000);
  const msg =
    'requests were not logged: too many of them were refused or had no valid API key in one minute, and the size of the log is limited';
  expect(lines.splice(0).slice(-2)).toEqual([
    { level: 'warn', lines: 1_700, msg },
    { level: 'warn', keyId: 'one', lines: 1, msg },
  ]);
  expect(written(1_000, undefined, 'denied')).toBe(300);
  log.close();
  expect(lines.at(-1)).toEqual({ level: 'warn', lines: 700, msg });
});

const waits = { queueMs: 0, redisMs: 1.5, sqlMs: 250.13, bodyMs: 0 };

const key = { id: 'one', plan: 'free', account: 'C "17"', accountId: 'abc' };
const ofKey = { keyId: 'one', plan: 'free', account: 'C "17"', accountId: 'abc' };
const denial = { status: 429, errorCode: 'rate_limit_exceeded' };

test.each([
  ['a request faster than SLOW_REQUEST_MS', { durationMs: 999 }, {}],
  ['a fast request of an account', { key, ...denial }, { ...ofKey, ...denial }],
  ['a slow request', { durationMs: 1_000 }, waits],
  ['a traced request', { traceId: 'abc' }, { trace_id: 'abc', ...waits }],
  [
    'a slow and traced request of an account',
    { durationMs: 5_000, traceId: 'abc', key, ...denial },
    { trace_id: 'abc', ...ofKey, ...denial, ...waits },
  ],
])(
  'openRequestLog writes into the log line of %s only the fields that apply to it',
  (_, record, fields) => {
    log.logRequest({ ...finished, ...record } as RequestRecord);
    const { method, route, status, requestId, durationMs } = { ...finished, ...record };
    const common = {
      level: 'info',
      msg: 'request',
      operation: 'getPet',
      method,
      route,
      status,
      requestId,
    };
    expect(lines).toEqual([
      { ...common, durationMs: Math.round(durationMs * 100) / 100, ...fields },
    ]);
  },
);
