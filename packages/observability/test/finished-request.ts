import type { RequestRecord } from '../src/request-record.ts';

/**
 * The record of a finished `GET /v1/pets/7` without an API key, for tests of logs, metrics and
 * traces.
 */
export const finishedRequest: RequestRecord = {
  requestId: 'one',
  method: 'GET',
  route: '/v1/pets/:petId',
  status: 200,
  aborted: false,
  durationMs: 1,
  errorCode: undefined,
  attempts: undefined,
  waits: undefined,
  operation: undefined,
  key: undefined,
  tokenPrefix: undefined,
  decision: undefined,
  traceId: undefined,
};
