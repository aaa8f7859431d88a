import { openRedis, openRedisCluster, type Server, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { askAtOnce, startReplicas, untilRedisDecides } from '../support/replicas.ts';

/** How many keys are created at once: a thousand would wait for the admin API too long. */
const atOnce = 50;

test.each(['one Redis', 'a Cluster'])(
  '1,000 keys of one account on five replicas, with %s, are admitted exactly min(sent, limit) times',
  async (stores) => {
    await using stack = new AsyncDisposableStack();
    const urls =
      stores === 'a Cluster'
        ? stack.use(await openRedisCluster()).urls
        : [stack.use(await openRedis()).url];
    const env = {
      REDIS_URL: urls.join(','),
      REPLICAS: '5',
      ADMIN_TOKEN: adminToken,
      ADDRESS_PER_MINUTE: '1000000',
      // A decision of a Redis that shares two processors with all of this may be late.
      REDIS_TIMEOUT_MS: '20000',
    };
    const replicas = stack.use(await startReplicas({ env: [env, env, env, env, env] }));
    await untilRedisDecides(replicas);
    const admin = adminOf(replicas.servers[0] as Server);
    const setPlan = (account: string, perDay: number) =>
      admin.call(`/accounts/${account}`, {
        method: 'PUT',
        json: JSON.stringify({ plan: 'enterprise', quota: { perMinute: 1_000_000, perDay } }),
      });
    const tokens: string[] = [];
    await setPlan('large', 2_500);
    while (tokens.length < 1_000) {
      const issued = await Promise.all(
        Array.from({ length: atOnce }, () => admin.create('{"account":"large"}')),
      );
      tokens.push(...issued.map(({ token }) => token));
    }
    // The limit of the day: no run is too slow for it. Each key asks whichever replicas it gets.
    const ask = async (times: number) => {
      const replies = await Promise.all(
        tokens.map((token) => askAtOnce(replicas, { token, times, servers: replicas.servers })),
      );
      return replies.flat().filter(({ status }) => status === 200).length;
    };
    expect(await ask(2)).toBe(2_000);
    expect(await ask(2)).toBe(500);
    expect(await ask(1)).toBe(0);
    // More room, from the next request on.
    await setPlan('large', 3_000);
    await until(async () => (await ask(1)) === 0);
    const details = (await admin.call('/accounts/large')).body as {
      usage: { windows: { day: { limit: number; remaining: number } } };
    };
    expect(details.usage.windows.day).toMatchObject({ limit: 3_000, remaining: 0 });
  },
);
