import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpsRequestRecord, openOpsRequestLog } from './log-ops-request.ts';

const answered: OpsRequestRecord = {
  requestId: 'one',
  method: 'GET',
  route: '/readyz',
  status: 200,
  aborted: false,
  durationMs: 1.234567,
  errorCode: undefined,
  attempts: undefined,
  waits: undefined,
  queueMs: undefined,
  operator: undefined,
  operatorId: undefined,
  keyId: undefined,
  account: undefined,
  reasons: undefined,
};

let clock: TestClock;
let lines: { level: number; msg: string; lines?: number }[];
let log: ReturnType<typeof openOpsRequestLog>;

beforeEach(() => {
  clock = createTestClock();
  lines = [];
  const write = (line: string) => lines.push(JSON.parse(line));
  log = openOpsRequestLog(pino({ level: 'trace' }, { write }), clock);
});
afterEach(() => log.close());

/** Logs a request several times and returns how many log lines were written. */
function written(requests: number, record: Partial<OpsRequestRecord>): number {
  const before = lines.length;
  for (let n = 0; n < requests; n += 1) log.logRequest({ ...answered, ...record });
  return lines.length - before;
}

const admin = { route: '/admin/v1/keys' };

test.each<[what: string, level: string, lines: number, record: Partial<OpsRequestRecord>]>([
  ['a successful health check', 'debug', 11, {}],
  [
    'a failed health check',
    'warn',
    10,
    { status: 503, reasons: ['The database cannot be reached.'] },
  ],
  ['a request with a wrong method', 'info', 10, { status: 405 }],
  ['an aborted request without an operator', 'info', 10, { ...admin, status: 499, aborted: true }],
  ['a request for an unknown path', 'info', 10, { route: undefined, status: 404 }],
  ['an internal failure', 'warn', 10, { ...admin, status: 500 }],
  // The log lines of authenticated operators are not limited.
  ['a refused request of an operator', 'info', 11, { ...admin, status: 403, operator: 'Ann' }],
])(
  'openOpsRequestLog logs %s at the level %s, and writes %d lines for eleven of these requests',
  (_, level, count, record) => {
    expect(written(11, record)).toBe(count);
    expect(pino.levels.labels[lines[0]?.level ?? 0]).toBe(level);
  },
);

test('openOpsRequestLog has separate limits for lines about successful and failed requests, and logs each second how many lines it has skipped', async () => {
  const skipped = {
    msg: 'requests to the ops listener were not logged: too many of them came without a valid token in one second, and the size of the log is limited',
  };
  expect([written(100, admin), written(11, { status: 503 })]).toEqual([10, 10]);
  await clock.advance(1_000);
  expect(lines.at(-1)).toMatchObject({ lines: 91, ...skipped });
  expect(written(11, admin)).toBe(10);
  log.close();
  expect(lines.at(-1)).toMatchObject({ lines: 1, ...skipped });
});

test("openOpsRequestLog writes the operator's id, and escapes bidirectional and invisible characters in names", () => {
  const operatorId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  written(1, { ...admin, operator: 'Ann\u202e\u200b', operatorId });
  expect(lines[0]).toMatchObject({ operator: 'Ann\\u202e\\u200b', operatorId });
});

test('openOpsRequestLog writes how long a request waited before it started, unless it started immediately', () => {
  written(2, admin);
  written(1, { ...admin, queueMs: 12.3456 });
  expect(lines.map((line) => 'queueMs' in line && line.queueMs)).toEqual([false, false, 12.35]);
});
