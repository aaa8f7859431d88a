import { METHODS } from 'node:http';
import { expect, test } from 'vitest';
import type { RequestRecord } from '../api/observe-requests.ts';
import { createRequestLog } from './log-request.ts';

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

/** The level and the fields of the line about a request. */
function lineOf(record: Partial<RequestRecord>) {
  const lines: unknown[] = [];
  const logRequest = createRequestLog(
    (level, fields) => lines.push([level, JSON.parse(`{${fields}}`)]),
    { isWritten: () => true },
  );
  logRequest({ ...finished, ...record });
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
