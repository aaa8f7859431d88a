import { expect, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import { scrape } from '../support/observed.ts';
import { createTestClock } from '../support/test-clock.ts';
import { type CallOptions, useService } from '../support/test-service.ts';

// Its clock stands still, so nothing works in the background.
const clock = createTestClock(Date.now());
const service = useService('postgres', { clock, env: { TRUST_PROXY: '1' } });

const callers = 20;
const times = 400;

/** Sends requests from one network, and counts how they were answered, and the SQL statements they cost. */
async function flood(network: string, request: () => CallOptions) {
  const before = await countStatements();
  const statuses = new Map<number, number>();
  let sent = 0;
  const caller = async () => {
    while (sent < times) {
      sent += 1;
      const { headers, ...options } = request();
      const { status } = await service.call('/pets', {
        ...options,
        headers: { ...headers, 'X-Forwarded-For': network },
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { statuses: Object.fromEntries(statuses), sql: (await countStatements()) - before };
}

/** Of keys: whatever else is asked, no request asks it. */
async function countStatements(): Promise<number> {
  const series =
    /^animal_store_database_statement_duration_seconds_count\{statement="find_key[^}]*\} (\d+)/gm;
  const metrics = await scrape(service.server);
  return [...metrics.matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
}

// Regression: each token with a valid checksum cost a query, even if its network had no quota left.
test('made-up tokens cost few queries once their network has used up its quota', async () => {
  const { statuses, sql } = await flood('203.0.113.2', () => ({ token: createToken() }));
  expect(statuses).toEqual({ 401: 60, 429: times - 60 });
  // Those that are in flight when the quota runs out, and then ten look-ups.
  expect(sql).toBeGreaterThanOrEqual(60);
  expect(sql).toBeLessThanOrEqual(60 + 10 + 2 * callers);
});

test('preflights cost no SQL and no quota', async () => {
  const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };
  const preflight = () => ({ token: null, method: 'OPTIONS', headers });
  expect(await flood('203.0.113.1', preflight)).toEqual({ statuses: { 204: times }, sql: 0 });
});

test('keys are served although their network has used up its quota', async () => {
  const { business, enterprise } = service.tokens;
  const headers = { 'X-Forwarded-For': '203.0.113.3' };
  await flood('203.0.113.3', () => ({ token: null }));
  expect((await service.call('/pets', { token: null, headers })).status).toBe(429);
  // One that this replica knows, and one that it has not seen yet.
  await service.call('/pets', { token: enterprise });
  for (const token of [enterprise, business]) {
    expect((await service.call('/pets', { token, headers })).status).toBe(200);
  }
});
