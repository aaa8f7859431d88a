import { Agent, request as send } from 'node:http';
import { openRedis, type Redis } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import { scrape } from '../support/observed.ts';
import { startService, type TestService } from '../support/test-service.ts';

const callers = 20;
const times = 1_000;

let redis: Redis;
let service: TestService;
const agent = new Agent({ keepAlive: true, maxSockets: callers });

beforeAll(async () => {
  redis = await openRedis();
  service = await startService('postgres', { env: { REDIS_URL: redis.url, TRUST_PROXY: '1' } });
  await service.call('/pets');
});
afterAll(async () => {
  agent.destroy();
  await service[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

/** Sends 1,000 requests from one network, and counts what they cost and how they were answered. */
async function flood(
  network: string,
  request: () => { method: string; headers: Record<string, string> },
) {
  const before = await costs();
  const startedAt = performance.now();
  const statuses: number[] = [];
  let sent = 0;
  const caller = async () => {
    while (sent < times) {
      sent += 1;
      const { method, headers } = request();
      statuses.push(await statusOf({ method, headers: { ...headers, ...from(network) } }));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const after = await costs();
  const seconds = (performance.now() - startedAt) / 1_000;
  return { statuses, seconds, sql: after.sql - before.sql, redis: after.redis - before.redis };
}

/** The header that makes a request come from a network, so that each test has one of its own. */
const from = (network: string) => ({ 'X-Forwarded-For': network });

/** What the ledger, the audit log and a scrape of the metrics ask, whatever is requested. */
const inBackground =
  /statement="(end_bans|take_expired_bans|newest_migration|check_database|delete_|[^"]*usage)/;

async function costs() {
  const metrics = await scrape(service.server);
  const total = (name: string) =>
    metrics
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) && !inBackground.test(line))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  return {
    sql: total('animal_store_database_statement_duration_seconds_count'),
    redis: total('animal_store_redis_command_duration_seconds_count'),
  };
}

function statusOf(options: { method: string; headers: Record<string, string> }): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = send(`${service.server.baseUrl}/pets`, { agent, ...options });
  sent.on('error', reject);
  sent.on('response', (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0));
  });
  sent.end();
  return promise;
}

// Regression: each preflight asked Redis for the numbers of its X-RateLimit headers.
test('preflights cost no SQL and no Redis command', async () => {
  const { statuses, sql, redis } = await flood('203.0.113.1', () => ({
    method: 'OPTIONS',
    headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
  }));
  expect(new Set(statuses)).toEqual(new Set([204]));
  expect({ sql, redis }).toEqual({ sql: 0, redis: 0 });
});

// Regression: each token with a valid checksum cost a query, even if its network had no quota left.
test('made-up tokens cost few queries once their network has used up its quota', async () => {
  const { statuses, seconds, sql, redis } = await flood('203.0.113.2', () => ({
    method: 'GET',
    headers: { Authorization: `Bearer ${createToken()}` },
  }));
  const admitted = statuses.filter((status) => status === 401).length;
  expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
  // 60 in each minute that it took; on any machine by far the most are refused.
  expect(admitted).toBeLessThan(times / 4);
  // In each minute, those that were in flight when the quota ran out had asked already. After that,
  // ten look-ups are allowed, and one more each second; those in flight at the last one have asked, too.
  const minutes = Math.ceil(admitted / 60);
  const inFlight = minutes * callers;
  expect(sql).toBeLessThanOrEqual(admitted + 2 * inFlight + minutes * 10 + Math.ceil(seconds));
  expect(redis).toBeLessThanOrEqual(admitted + inFlight);
});

test('keys are served although their network has used up its quota', async () => {
  const { business, enterprise } = service.tokens;
  const network = '203.0.113.3';
  await flood(network, () => ({ method: 'GET', headers: {} }));
  // One that this replica knows, and one that it has not seen yet.
  for (const token of [enterprise, business]) {
    expect((await service.call('/pets', { token, headers: from(network) })).status).toBe(200);
  }
});
