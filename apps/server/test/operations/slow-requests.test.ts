import { expect, test } from 'vitest';
import { requestLine } from '../support/observed.ts';
import { type CallOptions, call, useService } from '../support/test-service.ts';

const service = useService('postgres', { observability: { slowRequestMs: 0 } });

/** Sends a request and returns the fields of its log line that contain times. */
async function lineOf(path: string, options: CallOptions = {}) {
  const { server, tokens } = service;
  const { headers } = await call(server.baseUrl + path, { token: tokens.pro, ...options });
  return requestLine(server, headers.get('X-Request-Id') ?? '');
}

test('the log line of a slow request contains the operation and how long the request waited in the queue, for Redis, for SQL and for the body', async () => {
  const some = expect.any(Number);
  const listed: Record<string, unknown> = await lineOf('/pets');
  expect(listed).toMatchObject({ operation: 'listPets', queueMs: 0, redisMs: some, bodyMs: 0 });
  expect(listed['sqlMs']).toBeGreaterThan(0);
  const options = { method: 'POST', json: '{"name":"Rex","categoryId":1}' };
  const created: Record<string, unknown> = await lineOf('/pets', options);
  expect(created).toMatchObject({
    operation: 'createPet',
    status: 201,
    queueMs: 0,
    redisMs: some,
    bodyMs: some,
  });
  expect(created['sqlMs']).toBeGreaterThan(0);
});
