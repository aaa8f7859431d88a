import { openRedisSentinels, until } from '@animal-store/testkit';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FailoverConnector } from '../src/failover-connector.ts';

// Regression: ioredis printed each failed attempt to stderr. After 20 failed attempts, it connected
// to the restarted Sentinel, but did not subscribe.
test('FailoverConnector prints nothing about a Sentinel that is down, and listens to it after more than 20 failed attempts', async () => {
  const printed = vi.spyOn(console, 'error');
  onTestFinished(() => printed.mockRestore());
  await using servers = await openRedisSentinels();
  const [sentinel, ...others] = servers.sentinels;
  if (sentinel === undefined) throw new TypeError('There is no Sentinel.');
  await sentinel.kill();
  let attempts = 0;
  const redis = new Redis({
    Connector: FailoverConnector,
    sentinels: [...others, sentinel].map(({ port }) => ({ host: '127.0.0.1', port })),
    name: 'mymaster',
    failoverDetector: true,
    sentinelReconnectStrategy() {
      attempts += 1;
      return 1;
    },
  });
  onTestFinished(() => redis.disconnect());
  await until(async () => attempts > 30);
  await sentinel.restart();
  await until(async () => (await sentinel.command('client', 'list')).includes('cmd=subscribe'));
  expect(printed).not.toHaveBeenCalled();
});
