import { openRedis, openRedisCluster, type Server, until } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Admin, adminOf, adminToken } from '../support/admin.ts';
import { freezableClocks, freezeClocks } from '../support/freeze-clocks.ts';
import {
  askAtOnce,
  type Replicas,
  type Reply,
  startReplicas,
  untilRedisDecides,
} from '../support/replicas.ts';

// `heavy/shared-quotas.heavy.test.ts` has 1,000 keys on five replicas.
const storesOfThisRun = [inject('isHeavy') ? 'a Cluster' : 'one Redis'];

// A change is made through the first of three replicas. It applies on all because it is announced: their
// clocks stand still, so no cached key expires.
describe.each(storesOfThisRun)('keys of an account, with %s', (stores) => {
  const stack = new AsyncDisposableStack();
  let replicas: Replicas;
  let admin: Admin;

  beforeAll(async () => {
    const urls =
      stores === 'a Cluster'
        ? stack.use(await openRedisCluster()).urls
        : [stack.use(await openRedis()).url];
    const env = {
      REDIS_URL: urls.join(','),
      REPLICAS: '3',
      ADMIN_TOKEN: adminToken,
      ADDRESS_PER_MINUTE: '1000000',
      ...freezableClocks,
    };
    replicas = stack.use(await startReplicas({ env: [env, env, env] }));
    await untilRedisDecides(replicas);
    admin = adminOf(replicas.servers[0] as Server);
    await Promise.all(replicas.servers.map(freezeClocks));
  });
  afterAll(() => stack.disposeAsync());

  const put = (account: string, plan: object) =>
    admin.call(`/accounts/${account}`, { method: 'PUT', json: JSON.stringify(plan) });
  const createTokens = (account: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const { token } = await admin.create(JSON.stringify({ account, plan: 'business' }));
        return token;
      }),
    );
  const askAll = (tokens: readonly string[], times: number) =>
    Promise.all(
      tokens.map((token) => askAtOnce(replicas, { token, times, servers: replicas.servers })),
    ).then((replies) => replies.flat());
  /** Waits until each replica tells each key of a limit. */
  const untilLimit = (tokens: readonly string[], limit: number) =>
    until(async () => {
      const replies = await Promise.all(
        replicas.servers.flatMap((server) => tokens.map((token) => replicas.ask(server, token))),
      );
      return replies.every((reply) => reply.limit === limit);
    });
  const admitted = (replies: readonly Reply[]) =>
    replies.filter(({ status }) => status === 200).length;

  test('exactly the limit of the account is admitted, whichever keys and replicas it is', async () => {
    await put('exact', { plan: 'enterprise', quota: { perMinute: 100, perDay: 1_000 } });
    const tokens = await createTokens('exact', 20);
    const replies = await askAll(tokens, 10);
    expect(admitted(replies)).toBe(100);
    expect(new Set(replies.map(({ reset }) => reset)).size).toBe(1);
    expect(new Set(replies.filter(({ status }) => status !== 200).map(({ code }) => code))).toEqual(
      new Set(['rate_limit_exceeded']),
    );
  });

  test('a plan that an account gets and loses applies on all replicas', async () => {
    const tokens = await createTokens('comes and goes', 2);
    await askAll(tokens, 3);
    await put('comes%20and%20goes', { plan: 'enterprise', quota: { perMinute: 50, perDay: 500 } });
    await untilLimit(tokens, 50);
    await put('comes%20and%20goes', { plan: null });
    await untilLimit(tokens, 1_000);
    await put('comes%20and%20goes', { plan: 'pro' });
    await untilLimit(tokens, 300);
  });

  test('all replicas refuse the keys of a suspended account, and admit them when it is resumed', async () => {
    const tokens = await createTokens('late', 2);
    const untilStatus = (status: number) =>
      until(async () => (await askAll(tokens, 6)).every((reply) => reply.status === status));
    await untilStatus(200);
    await admin.call('/accounts/late/suspend', { method: 'POST' });
    await untilStatus(403);
    await admin.call('/accounts/late/resume', { method: 'POST' });
    await untilStatus(200);
  });

  test('a ban goes along with its key when its account loses the plan, and its siblings have none', async () => {
    const quota = { perMinute: 1, perDay: 100 };
    await put('hammered', { plan: 'enterprise', quota });
    const tokens = await createTokens('hammered', 2);
    const [hammering = '', sibling = ''] = tokens;
    // Without a second between denials there are no strikes, so this replica's clock is its own.
    expect(admitted(await askAll([sibling], 1))).toBe(1);
    const isBanned = async (token: string) =>
      (await askAll([token], 3)).every(({ code }) => code === 'key_temporarily_banned');
    await until(() => isBanned(hammering));
    expect((await askAll([sibling], 1))[0]?.code).toBe('rate_limit_exceeded');
    await put('hammered', { plan: null });
    await untilLimit([sibling], 1_000);
    expect(await isBanned(hammering)).toBe(true);
  });
});
