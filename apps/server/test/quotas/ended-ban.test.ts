import { expect, test, vi } from 'vitest';
import { createCircuitBreaker } from '../../src/quotas/circuit-breaker.ts';
import { type KeyAndAccount, subjectOf } from '../../src/quotas/limited-key.ts';
import { createRedisBans } from '../../src/quotas/redis-bans.ts';
import { banNameOf, keyPrefix } from '../../src/quotas/redis-names.ts';
import { useRedis } from './use-redis.ts';

const redis = useRedis();

const nameOf = (key: KeyAndAccount) => banNameOf(`${keyPrefix}:${subjectOf(key)}`, key);

// Redis refuses to set what ends at once, and this replica took that for an outage.
test.each([
  ['in this millisecond', 0],
  ['before its end is read', -2],
])('a ban that ends %s is not moved to another subject', async (_, ttlMs) => {
  const { connection } = redis;
  const probe = () => connection.ping();
  const breaker = createCircuitBreaker({ timeoutMs: 60_000, probe, onChange() {} });
  const limiter = { unbanHere() {} };
  const bans = createRedisBans({ redis: connection, breaker, limiter });
  const inAccount = { id: `key ${ttlMs}`, accountId: 'account' };
  const alone = { ...inAccount, accountId: undefined };
  await connection.set(nameOf(inAccount), 'a ban');
  vi.spyOn(connection, 'pttl').mockResolvedValueOnce(ttlMs);

  await bans.moveBan(inAccount, alone);

  expect(breaker.isOpen()).toBe(false);
  expect(await connection.exists(nameOf(alone))).toBe(0);
  breaker.close();
});
