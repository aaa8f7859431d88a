import { StartupError } from '@animal-store/runtime';
import { hangMs, openRedis } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { openQuotas } from '../../src/quotas/open-quotas.ts';

// Regression: for a database number that Redis does not have, ioredis continued in database 0, and
// the replica was ready.
test.each([
  [
    'a database that Redis does not have',
    '/16',
    [],
    /^REDIS_URL: Redis refuses the number of the database \(ERR /,
  ],
  [
    'a Redis with a password and a URL without one',
    '',
    ['--requirepass', 'another'],
    /^REDIS_URL: Redis refuses the user or the password \(NOAUTH /,
  ],
  [
    'a wrong password',
    'wrong',
    ['--requirepass', 'another'],
    /^REDIS_URL: Redis refuses the user or the password \(WRONGPASS /,
  ],
])('openQuotas fails with an explanation when Redis refuses %s', async (_, part, args, message) => {
  await using redis = await openRedis({ args });
  const url = part === 'wrong' ? redis.url.replace('//', '//:wrong@') : redis.url + part;
  const opening = openQuotas({
    redis: [url],
    addressPerMinute: 60,
    firstConnectionTimeoutMs: hangMs,
  });
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toBeInstanceOf(StartupError);
  // Database 0 must stay empty, so nothing was counted in the wrong database.
  if (args.length === 0) expect(await redis.command('dbsize')).toBe('0');
});
