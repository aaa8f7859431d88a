import { StartupError } from '@animal-store/runtime';
import { openRedis, patientQuotas } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { openQuotas } from '../../src/quotas/open-quotas.ts';

// Regression: if the URL contained a database number that Redis does not have, ioredis used
// database 0 instead, and the replica was ready.
test.each<[what: string, part: string, args: string[], message: RegExp]>([
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
    ':wrong',
    ['--requirepass', 'another'],
    /^REDIS_URL: Redis refuses the user or the password \(WRONGPASS /,
  ],
  // Regression: the check of Redis succeeded although quota decisions failed, so the circuit
  // breaker opened and closed again and again.
  ...['eval', 'evalsha', 'time', 'get', 'mget', 'pttl', 'incrby', 'set'].map(
    (command): [string, string, string[], RegExp] => [
      `the command ${command} to its user`,
      'svc:pw',
      ['--user', 'svc', 'on', '>pw', '~*', '+@all', `-${command}`],
      /^REDIS_URL: Redis refuses a command that the limits need \(.*\)\. Allow the command for the user/,
    ],
  ),
  // Regression: the message asked for a command, although the user lacked a pattern of keys.
  ...['~other:*', '%R~animal-store:*'].map((pattern): [string, string, string[], RegExp] => [
    `the Redis keys to a user with the pattern ${pattern}`,
    'svc:pw',
    ['--user', 'svc', 'on', '>pw', pattern, '+@all'],
    /^REDIS_URL: Redis refuses to let its user read or write the keys animal-store:\* \(NOPERM .*\)\. Allow this pattern for the user, for example with ACL SETUSER <user> ~animal-store:\*: see/,
  ]),
  [
    'a command that it does not have',
    '',
    ['--rename-command', 'TIME', ''],
    // Redis calls it an unknown Redis command, and Valkey an unknown command.
    /^REDIS_URL: Redis refuses a command that the limits need \(ERR Unknown (?:Redis )?command called from script\)\. Enable the command in Redis/,
  ],
])('openQuotas fails with an explanation when Redis refuses %s', async (_, part, args, message) => {
  await using redis = await openRedis({ args });
  const url = part.startsWith('/') ? redis.url + part : redis.url.replace('//', `//${part}@`);
  const opening = openQuotas({
    redis: [url],
    addressPerMinute: 60,
    ...patientQuotas,
  });
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toBeInstanceOf(StartupError);
  // Database 0 must be empty. Otherwise requests were counted in the wrong database.
  if (args.length === 0) expect(await redis.command('dbsize')).toBe('0');
});

test('openQuotas reports a warning when Redis is configured to evict the request counts when its memory is full', async () => {
  await using redis = await openRedis({ args: ['--maxmemory', '10mb'] });
  const open = async (policy: string) => {
    await redis.command('config', 'set', 'maxmemory-policy', policy);
    const warnings: string[] = [];
    const quotas = await openQuotas({
      redis: [redis.url],
      ...patientQuotas,
      onWarning: (sentence) => warnings.push(sentence),
    });
    // Redis executes the commands of a connection in order. When this decision is made, Redis has
    // already reported its memory settings, and `onWarning` has been called if necessary.
    await quotas.keys.consume({ id: 'a', quota: { perMinute: 1, perDay: 1 } });
    quotas.close();
    return warnings;
  };
  expect(await open('noeviction')).toEqual([]);
  expect(await open('volatile-lru')).toEqual([
    expect.stringMatching(
      /\(maxmemory-policy volatile-lru\).* Set maxmemory-policy to noeviction$/,
    ),
  ]);
});
