import { request } from 'node:http';
import { openRedis, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { connectTo } from '../support/databases.ts';
import { requestLine } from '../support/observed.ts';
import { type CallOptions, call, startService, useService } from '../support/test-service.ts';

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

// Regression: the line contained 0 for the wait that was not over. So the request of a client with a
// short timeout looked as if it had waited for nothing.
test('the log line of a request whose client gave up contains the wait that was not over', async () => {
  const { server, tokens, database } = service;
  await using sql = connectTo(database.url);
  await using other = connectTo(database.url);
  await sql.begin(async (transaction) => {
    await transaction`lock table pets in access exclusive mode`;
    const requestId = 'given-up-1';
    const headers = { Authorization: `Bearer ${tokens.pro}`, 'X-Request-Id': requestId };
    const waiting = request(`${server.baseUrl}/pets?limit=7`, { headers, agent: false });
    // Destroying the request before the response causes an error, which is expected.
    waiting.on('error', () => {});
    waiting.end();
    await until(async () => {
      const locked = await other`
        select from pg_locks where relation = 'pets'::regclass and not granted`;
      return locked.length > 0;
    });
    waiting.destroy();
    const line = await requestLine(server, requestId);
    expect(line).toMatchObject({ status: 499, aborted: true });
    expect(line['sqlMs']).toBeGreaterThan(0);
  });
});

// Regression: the wait of a page was not recorded, because a page has a quota of its own.
test('the log line of a documentation page contains how long the request waited for Redis', async () => {
  await using redis = await openRedis();
  await using own = await startService('postgres', {
    env: { REDIS_URL: redis.url },
    observability: { slowRequestMs: 0 },
  });
  const { headers } = await call(`${own.server.origin}/docs`, { token: null });
  const line = await requestLine(own.server, headers.get('X-Request-Id') ?? '');
  expect(line['redisMs']).toBeGreaterThan(0);
});
