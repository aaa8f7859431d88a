import { pino } from 'pino';
import { expect, test } from 'vitest';
import { logOpsRequest, type OpsRequestRecord } from './log-ops-request.ts';

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
  reasons: undefined,
};

/** The level, by its name, of the line that tells of a request. */
function levelOf(record: Partial<OpsRequestRecord>): string {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
  logOpsRequest(log, { ...answered, ...record });
  expect(lines).toHaveLength(1);
  return pino.levels.labels[JSON.parse(lines[0] ?? '').level] ?? '';
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
