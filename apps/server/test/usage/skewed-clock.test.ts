import type { LedgerOfKey } from '@animal-store/contract/admin';
import { openRedis, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { createSkewedClock } from '../support/test-clock.ts';
import { call } from '../support/test-service.ts';

const minuteMs = 60_000;

/** Two hours and some, so that no bucket of the wrong time is a right one, by the hour either. */
const offByMs = -131 * minuteMs;

test("a replica whose clock is wrong counts what a key's quota decided by the clock of Redis, and the rest by its own", async () => {
  await using redis = await openRedis();
  await using database = await createDatabase('postgres');
  await using server = await openLocalServer(
    {
      ...database.env,
      REDIS_URL: redis.url,
      ADMIN_TOKEN: adminToken,
      ADDRESS_PER_MINUTE: '1',
      USAGE_FLUSH_MS: '20',
      USAGE_ROLL_UP_MS: '20',
    },
    { clock: createSkewedClock(offByMs) },
  );
  const admin = adminOf(server);
  const { key, token } = await admin.create(
    '{"plan":"enterprise","quota":{"perMinute":1,"perDay":9}}',
  );

  const startedAt = Date.now();
  const ask = (path: string, sent: string | null) => call(server.baseUrl + path, { token: sent });
  expect((await ask('/pets', token)).status).toBe(200);
  expect((await ask('/pets', token)).status).toBe(429);
  expect((await ask('/rate-limit', token)).status).toBe(200);
  expect((await ask('/pets', null)).status).toBe(401);
  expect((await ask('/pets', null)).status).toBe(429);
  expect((await ask('/pets', null)).status).toBe(429);
  const endedAt = Date.now();

  const hours = `from=${instant(startedAt - 180 * minuteMs)}&to=${instant(endedAt + minuteMs)}`;
  const rowsOf = async (path: string) =>
    ((await admin.call(`${path}?bucket=minute&${hours}`)).body as LedgerOfKey).rows;
  const isBetween = (at: string, offMs: number) =>
    Date.parse(at) > startedAt + offMs - minuteMs && Date.parse(at) <= endedAt + offMs;
  const sum = (rows: LedgerOfKey['rows']) =>
    rows.reduce((total, { requests }) => total + requests, 0);
  for (const [path, byRedis, byReplica] of [
    [`/keys/${key.id}/usage`, 2, 1],
    ['/usage', 2, 4],
  ] as const) {
    const rows = await until(async () => {
      const found = await rowsOf(path);
      return sum(found) === byRedis + byReplica && found;
    });
    expect(sum(rows.filter(({ at }) => isBetween(at, 0)))).toBe(byRedis);
    expect(sum(rows.filter(({ at }) => isBetween(at, offByMs)))).toBe(byReplica);
  }
});

function instant(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
