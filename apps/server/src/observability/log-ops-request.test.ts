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
  network: '203.0.113.7',
  operator: undefined,
  keyId: undefined,
  account: undefined,
  reasons: undefined,
};

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly lines?: number;
}

let clock: TestClock;
let lines: Line[];
let log: ReturnType<typeof openOpsRequestLog>;

beforeEach(() => {
  clock = createTestClock();
  lines = [];
  const write = (line: string) => lines.push(JSON.parse(line));
  log = openOpsRequestLog(pino({ level: 'trace' }, { write }), clock);
});
afterEach(() => {
  log.close();
});

const logMany = (requests: number, record: Partial<OpsRequestRecord>) => {
  for (let n = 0; n < requests; n += 1) log.logRequest({ ...answered, ...record });
};

/** The level, by its name, of the line that tells of a request. */
function levelOf(record: Partial<OpsRequestRecord>): string {
  logMany(1, record);
  expect(lines).toHaveLength(1);
  return pino.levels.labels[lines[0]?.level ?? 0] ?? '';
}

test.each(['/livez', '/readyz', '/metrics'])('%s, answered well, is for debugging', (route) => {
  expect(levelOf({ route })).toBe('debug');
});

test('a probe that is told that something is wrong is a warning', () => {
  expect(levelOf({ status: 503, reasons: ['The database cannot be reached.'] })).toBe('warn');
});

test.each([
  ['a probe by the wrong method', { status: 405 }],
  ['a probe whose caller did not wait', { status: 499, aborted: true }],
  ['what is asked of the admin API', { route: '/admin/v1/keys' }],
  ['a path that does not exist', { route: undefined, status: 404 }],
])('%s is information', (_, record) => {
  expect(levelOf(record)).toBe('info');
});

test('a request that failed on our side is a warning', () => {
  expect(levelOf({ route: '/admin/v1/keys', status: 500 })).toBe('warn');
});

const wrongToken = { route: '/admin/v1/keys', status: 401 };

test('wrong tokens of a network have one line a second, and a count of those left out', async () => {
  logMany(100, wrongToken);
  expect(lines).toHaveLength(1);
  await clock.advance(1_000);
  expect(lines[1]).toMatchObject({ lines: 99, msg: 'ops requests without a line of their own' });
  logMany(2, wrongToken);
  expect(lines).toHaveLength(3);
});

test.each([
  ['of strangers', { route: undefined, status: 404 }],
  ['by the wrong method', { status: 405 }],
  ['of a replica that is not ready', { status: 503 }],
])('requests %s have one line a second', (_, record) => {
  logMany(100, record);
  expect(lines).toHaveLength(1);
});

test('each network has a line of its own, and so have failures on our side', () => {
  logMany(1, wrongToken);
  logMany(1, { ...wrongToken, network: '198.51.100.7' });
  logMany(1, { status: 503 });
  expect(lines).toHaveLength(3);
});

test('a hundred networks have lines in one second, and no more', () => {
  for (let n = 0; n < 1_000; n += 1) logMany(1, { ...wrongToken, network: `network ${n}` });
  expect(lines).toHaveLength(100);
  log.close();
  expect(lines.at(-1)).toMatchObject({ lines: 900 });
});

test('every request of an operator has its line', () => {
  logMany(100, { ...wrongToken, status: 403, operator: 'Ann' });
  expect(lines).toHaveLength(100);
});
