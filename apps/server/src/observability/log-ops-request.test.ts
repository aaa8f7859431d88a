import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { type OpsRequestRecord, openOpsRequestLog } from './log-ops-request.ts';

const answered: OpsRequestRecord = {
  requestId: 'one',
  method: 'GET',
  route: '/readyz',
  status: 200,
  aborted: false,
  durationMs: 1.234567,
  errorCode: undefined,
  operator: undefined,
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

/** How many of so many requests get a line. */
function written(requests: number, record: Partial<OpsRequestRecord>): number {
  const before = lines.length;
  for (let n = 0; n < requests; n += 1) log.logRequest({ ...answered, ...record });
  return lines.length - before;
}

const wrongToken = { route: '/admin/v1/keys', status: 401 };

test.each<[level: string, record: Partial<OpsRequestRecord>]>([
  ['debug', { route: '/livez' }],
  ['debug', { route: '/readyz' }],
  ['debug', { route: '/metrics' }],
  ['warn', { status: 503, reasons: ['The database cannot be reached.'] }],
  ['info', { status: 405 }],
  ['info', { status: 499, aborted: true }],
  ['info', { route: '/admin/v1/keys' }],
  ['info', { route: undefined, status: 404 }],
  ['warn', { route: '/admin/v1/keys', status: 500 }],
])('of the requests of strangers ten a second have a %s line: %j', async (level, record) => {
  expect(written(100, record)).toBe(level === 'debug' ? 100 : 10);
  expect(pino.levels.labels[lines[0]?.level ?? 0]).toBe(level);
  if (level === 'debug') return;
  await clock.advance(1_000);
  expect(lines[10]).toMatchObject({ lines: 90, msg: 'ops requests without a line of their own' });
  expect(written(11, record)).toBe(10);
});

test('failures on our side have lines of their own, and operators have all', () => {
  expect(written(11, wrongToken)).toBe(10);
  expect(written(11, { status: 503 })).toBe(10);
  expect(written(100, { ...wrongToken, status: 403, operator: 'Ann' })).toBe(100);
  log.close();
  expect(lines.at(-1)).toMatchObject({ lines: 2 });
});
