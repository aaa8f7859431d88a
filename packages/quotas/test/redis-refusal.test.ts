import {
  openRedisCluster,
  openRedisSentinels,
  patientQuotas,
  openRedis as startRedis,
  until,
} from '@animal-store/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createQuotas, RedisRefusalError } from '../src/create-quotas.ts';
import { openRedis } from '../src/open-redis.ts';
import { watchForRefusal } from '../src/redis-refusal.ts';

const refusal = /^Redis refuses the user or the password \(NOAUTH /;

test('createQuotas rejects with a RedisRefusalError when a Cluster refuses the password', async () => {
  await using cluster = await openRedisCluster();
  for (const node of cluster.nodes) await node.command('config', 'set', 'requirepass', 'another');
  const opening = createQuotas({ redis: cluster.urls, ...patientQuotas });
  await expect(opening).rejects.toThrow(refusal);
  await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
});

test('createQuotas rejects with a RedisRefusalError when the Sentinels point to a primary that refuses the password', async () => {
  await using redis = await openRedisSentinels();
  await redis.primary.command('config', 'set', 'requirepass', 'another');
  const opening = createQuotas({ redis: redis.url, ...patientQuotas });
  await expect(opening).rejects.toThrow(refusal);
  await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
});

test('quotas.refusal returns the reason when Redis begins to refuse the password of a service that is already running', async () => {
  await using cluster = await openRedisCluster();
  const quotas = await createQuotas({ redis: cluster.urls, ...patientQuotas });
  expect(quotas.refusal()).toBeUndefined();
  for (const node of cluster.nodes) {
    await node.command('config', 'set', 'requirepass', 'another');
    await node.command('--no-auth-warning', '-a', 'another', 'client', 'kill', 'type', 'normal');
  }
  await until(() => quotas.refusal()?.match(refusal));
  quotas.close();
});

// Regression: the quotas started without Redis, and no message contained the reason.
test('createQuotas rejects with a RedisRefusalError when a Cluster refuses the command CLUSTER INFO', async () => {
  await using cluster = await openRedisCluster();
  for (const node of cluster.nodes) {
    await node.command(...'acl setuser svc on >pw ~* +@all -cluster|info'.split(' '));
  }
  const redis = cluster.urls.map((url) => url.replace('//', '//svc:pw@'));
  const opening = createQuotas({ redis, ...patientQuotas });
  await expect(opening).rejects.toThrow(
    /^Redis refuses a command that the limits need \(NOPERM .*'cluster\|info' command\)/,
  );
  await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
});

// Regression: ioredis used the password only for the nodes that the URLs name.
test('createQuotas uses the password of the given URLs also for nodes of a Redis Cluster that no URL names', async () => {
  await using cluster = await openRedisCluster();
  for (const node of cluster.nodes) await node.command('config', 'set', 'requirepass', 'secret');
  const redis = cluster.urls.slice(0, 2).map((url) => url.replace('//', '//:secret@'));
  const quotas = await createQuotas({ redis, ...patientQuotas });
  const quota = { perMinute: 1, perDay: 100 };
  // The requests have so many different API keys that every node gets some of the counts.
  for (let i = 0; i < 30; i += 1) {
    expect(await quotas.consume({ id: `key ${i}`, quota })).toMatchObject({ scope: 'service' });
  }
  expect(quotas.refusal()).toBeUndefined();
  quotas.close();
});

// Regression: the quotas started without Redis.
test('createQuotas rejects with a RedisRefusalError when the Sentinels refuse their password, or do not know the primary', async () => {
  await using redis = await openRedisSentinels();
  const wrongName = createQuotas({ redis: `${redis.url}-2`, ...patientQuotas });
  await expect(wrongName).rejects.toThrow(
    /^The Sentinels do not know the name of the primary \(ERR No such master/,
  );
  await expect(wrongName).rejects.toBeInstanceOf(RedisRefusalError);
  for (const sentinel of redis.sentinels) {
    await sentinel.command('acl', 'setuser', 'default', 'resetpass', '>right');
  }
  const wrongPassword = createQuotas({
    redis: `${redis.url}?sentinelPassword=wrong`,
    ...patientQuotas,
  });
  await expect(wrongPassword).rejects.toThrow(/^The Sentinels refuse the password \(WRONGPASS /);
});

// Regression: there was no way to name the user of the Sentinels.
test('createQuotas logs in to the Sentinels with the user and the password from the URL', async () => {
  await using redis = await openRedisSentinels();
  const rights = ['resetchannels', '&*', '-@all', '+sentinel', '+subscribe', '+auth', '+hello'];
  for (const sentinel of redis.sentinels) {
    await sentinel.command('acl', 'setuser', 'quotas', 'on', '>right', ...rights);
    await sentinel.command('acl', 'setuser', 'default', 'resetpass', '>another');
  }
  const access = 'sentinelUsername=quotas&sentinelPassword=right';
  const quotas = await createQuotas({ redis: `${redis.url}?${access}`, ...patientQuotas });
  const decision = await quotas.consume({ id: 'a', quota: { perMinute: 1, perDay: 1 } });
  quotas.close();
  expect(decision.scope).toBe('service');
});

// Regression: the message about a Redis that is not a Sentinel advised to allow the command in Redis.
// If the user of the Sentinels lacked a permission, the quotas started without Redis.
test('createQuotas rejects with a RedisRefusalError when the Sentinels refuse a command, or the URL leads to a Redis that is not a Sentinel', async () => {
  await using redis = await openRedisSentinels();
  const { host } = new URL(redis.primary.url);
  const noSentinel = createQuotas({ redis: `redis+sentinel://${host}/mymaster`, ...patientQuotas });
  await expect(noSentinel).rejects.toThrow(
    /^The Sentinels refuse a command \(ERR unknown command .sentinel.\)\. Use the port of the Sentinels/,
  );
  await expect(noSentinel).rejects.toBeInstanceOf(RedisRefusalError);
  for (const sentinel of redis.sentinels) {
    await sentinel.command('acl', 'setuser', 'default', '-sentinel|sentinels');
  }
  const noPermission = createQuotas({ redis: redis.url, ...patientQuotas });
  await expect(noPermission).rejects.toThrow(/^The Sentinels refuse a command \(NOPERM /);
});

// Regression: the quotas started without Redis. If the node stored the only Redis key of the probe,
// the circuit breaker opened and closed again and again.
test('createQuotas rejects with a RedisRefusalError when the only URL leads to a node of a Redis Cluster', async () => {
  await using cluster = await openRedisCluster();
  for (const url of cluster.urls) {
    const opening = createQuotas({ redis: url, ...patientQuotas });
    await expect(opening).rejects.toThrow(
      /^The Redis at this URL is a node of a Cluster \(MOVED .*\)\. Write the URLs of some nodes/,
    );
    await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
  }
  const otherDatabase = createQuotas({ redis: `${cluster.urls[0]}/1`, ...patientQuotas });
  await expect(otherDatabase).rejects.toThrow(
    /\. A Cluster has only database 0\. Remove the number/,
  );
});

// Regression: the quotas started without Redis.
test('createQuotas rejects with a RedisRefusalError when several URLs lead to a Redis that is not a Cluster', async () => {
  await using redis = await startRedis();
  const opening = createQuotas({ redis: [redis.url, redis.url], ...patientQuotas });
  await expect(opening).rejects.toThrow(
    /^The Redis at these URLs is not a Cluster \(ERR .*\)\. Write a single URL/,
  );
  await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
});

// Regression: the message advised to allow the command for the user.
test('createQuotas advises to write redis+sentinel:// when a redis:// URL leads to a Sentinel', async () => {
  await using redis = await openRedisSentinels();
  const [{ url } = { url: '' }] = redis.sentinels;
  await expect(createQuotas({ redis: url, ...patientQuotas })).rejects.toThrow(
    /^Redis refuses a command .*\. If the URL leads to a Sentinel, write redis\+sentinel:\/\//,
  );
});

// Regression: after a change of the certificate, neither the log nor `/readyz` contained the reason.
test('watchForRefusal reports a certificate that is not accepted, until the connection is ready again, and does not let the start fail', async () => {
  await using server = await startRedis();
  const redis = openRedis([server.url], { connectTimeoutMs: 1_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  const refused = watchForRefusal(redis);
  await until(() => redis.status === 'ready');
  const error = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
  redis.emit('error', error);
  // A refused certificate often causes a second error.
  redis.emit('error', new Error('read ECONNRESET'));
  expect(refused.sentence()).toBe(
    'The certificate of Redis is not accepted (certificate has expired)',
  );
  expect(refused.startFault()).toBeUndefined();
  redis.disconnect(true);
  await until(() => refused.sentence() === undefined);
});

// Regression: neither the log nor `/readyz` contained the reason.
test('watchForRefusal reports a certificate of a Sentinel that is not accepted', async () => {
  await using server = await startRedis();
  const redis = openRedis([server.url], { connectTimeoutMs: 1_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  const refused = watchForRefusal(redis);
  const message =
    'All sentinels are unreachable. Retrying from scratch after 50ms. Last error: certificate has expired';
  redis.emit('error', Object.assign(new Error(message), { code: 'CERT_HAS_EXPIRED' }));
  expect(refused.sentence()).toBe(
    'The certificate of a Sentinel is not accepted (certificate has expired)',
  );
  expect(refused.startFault()).toBeUndefined();
});

// Regression: the log contained only a line of OpenSSL, and the service started without Redis.
test('watchForRefusal lets the start fail when Redis requires a client certificate', async () => {
  await using server = await startRedis();
  const redis = openRedis([server.url], { connectTimeoutMs: 1_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  const refused = watchForRefusal(redis);
  const message = 'SSL routines:ssl3_read_bytes:tlsv13 alert certificate required';
  const code = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
  redis.emit('error', Object.assign(new Error(message), { code }));
  expect(refused.startFault()).toMatch(
    /^Redis requires a client certificate, which is not supported/,
  );
});

// Regression: Redis since 7.2 and Valkey use other words than Redis 7.0. The service started, and the
// circuit breaker opened and closed again and again.
test('watchForRefusal recognizes a refused command in a script of Valkey', async () => {
  await using server = await startRedis();
  const redis = openRedis([server.url], { connectTimeoutMs: 1_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  const refused = watchForRefusal(redis);
  const message =
    "ERR ACL failure in script: User svc has no permissions to run the 'get' command script: eaeaa2, on @user_script:1.";
  const probe = () => Promise.reject(new Error(message));
  await expect(refused.watchProbe(probe, 'quotas:*')).rejects.toThrow();
  expect(refused.startFault()).toBe(
    `Redis refuses a command that the limits need (ERR ACL failure in script: User svc has no permissions to run the 'get' command). Allow the command for the user: see "Least rights" in docs/operating.md`,
  );
});

// Redis before 7.2 and Redis since 7.2 use different words.
test.each([
  'NOPERM this user has no permissions to access one of the keys used as arguments',
  'NOPERM No permissions to access a key',
])(
  'watchForRefusal names the pattern of the Redis keys that the user lacks: %s',
  async (message) => {
    await using server = await startRedis();
    const redis = openRedis([server.url], { connectTimeoutMs: 1_000, name: 'test' });
    onTestFinished(() => redis.disconnect());
    const refused = watchForRefusal(redis);
    const probe = () => Promise.reject(new Error(message));
    await expect(refused.watchProbe(probe, 'quotas:*')).rejects.toThrow();
    expect(refused.startFault()).toBe(
      `Redis refuses to let its user read or write the keys quotas:* (${message}). Allow this pattern for the user, for example with ACL SETUSER <user> ~quotas:*: see "Least rights" in docs/operating.md`,
    );
  },
);
