import type { IssuedSession } from '@animal-store/contract/admin';
import { openRedis, until } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Admin, adminOf, adminToken } from '../support/admin.ts';
import type { AnyServer } from '../support/local-server.ts';
import {
  askAtOnce,
  type Replicas,
  type Reply,
  startReplicas,
  untilRedisDecides,
} from '../support/replicas.ts';
import { createStoppableClock } from '../support/test-clock.ts';

// Three replicas on one Postgres and one Redis. A change is made through the first, and must apply on all
// of them because it is announced: their clocks stand still, so no cached key expires.

const replicaCount = 3;
const everywhere = <T>(value: T): T[] => Array(replicaCount).fill(value);

describe('three replicas', () => {
  const stack = new AsyncDisposableStack();
  let replicas: Replicas;
  let admin: Admin;

  beforeAll(async () => {
    const redis = stack.use(await openRedis());
    // A refused key counts for its address, and all here come from one.
    const env = {
      REDIS_URL: redis.url,
      REPLICAS: String(replicaCount),
      ADMIN_TOKEN: adminToken,
      ADDRESS_PER_MINUTE: '1000000',
      BAN_GRACE_MS: '0',
    };
    const clock = createStoppableClock();
    replicas = stack.use(await startReplicas({ env: everywhere(env) }, everywhere({ clock })));
    await untilRedisDecides(replicas);
    admin = adminOf(replicas.servers[0] as AnyServer);
    clock.stop();
  });
  afterAll(() => stack.disposeAsync());

  describe('a change of a key', () => {
    /** Asks each replica once, so that each has the key in its cache. */
    const askAll = (token: string) =>
      Promise.all(replicas.servers.map((server) => replicas.ask(server, token)));
    const statuses = async (token: string) => (await askAll(token)).map(({ status }) => status);

    /** Waits until the replies of all replicas are as wanted. */
    const untilAll = (token: string, isWanted: (reply: Reply) => boolean) =>
      until(async () => (await askAll(token)).every(isWanted));

    test('applies everywhere: a plan, with the counts, a suspension, a resumption, a revocation', async () => {
      const { key, token } = await admin.create('{"plan":"free","name":"changed"}');
      const post = (action: string) => admin.call(`/keys/${key.id}/${action}`, { method: 'POST' });
      expect(await statuses(token)).toEqual(everywhere(200));
      await admin.call(`/keys/${key.id}`, { method: 'PATCH', json: '{"plan":"pro"}' });
      await untilAll(token, ({ limit }) => limit === 300);
      const [{ remaining = 0 } = {}] = await askAll(token);
      expect(remaining).toBeLessThanOrEqual(300 - 2 * replicaCount);
      for (let n = 0; n < 5; n += 1) {
        await post('suspend');
        await untilAll(token, ({ status, code }) => status === 403 && code === 'key_suspended');
        await post('resume');
        await untilAll(token, ({ status }) => status === 200);
      }
      await post('revoke');
      await untilAll(token, ({ status }) => status === 401);
    });

    test('during a rotation the old and the new token are valid everywhere', async () => {
      const { key, token } = await admin.create('{"plan":"business","name":"rotated"}');
      await askAll(token);
      const answer = admin.call(`/keys/${key.id}/rotate`, { json: '{"graceSeconds":60}' });
      for (let n = 0; n < 5; n += 1) expect(await statuses(token)).toEqual(everywhere(200));
      const { token: next } = (await answer).body as { token: string };
      expect(await statuses(next)).toEqual(everywhere(200));
      expect(await statuses(token)).toEqual(everywhere(200));
    });

    test('an unban through one replica ends the ban on all of them', async () => {
      const quota = { perMinute: 1, perDay: 1_000 };
      const json = JSON.stringify({ plan: 'enterprise', name: 'banned', quota });
      const { key, token } = await admin.create(json);
      await askAll(token);
      await untilAll(token, ({ code }) => code === 'key_temporarily_banned');
      await admin.call(`/keys/${key.id}/unban`, { method: 'POST' });
      await untilAll(token, ({ code }) => code !== 'key_temporarily_banned');
    });
  });

  test('every replica accepts a session of another, and refuses it once it has ended', async () => {
    const other = adminOf(replicas.servers[1] as AnyServer);
    const begun = await admin.call('/sessions', { method: 'POST' });
    const { token } = begun.body as IssuedSession;
    expect((await other.call('/keys', { token })).status).toBe(200);
    await other.call('/sessions/current', { method: 'DELETE', token });
    expect((await admin.call('/keys', { token })).status).toBe(401);
  });

  describe('keys of an account', () => {
    const put = (account: string, plan: object) =>
      admin.call(`/accounts/${account}`, { method: 'PUT', json: JSON.stringify(plan) });
    const createTokens = (account: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const { token } = await admin.create(
            JSON.stringify({ account, plan: 'business', name: 'shared' }),
          );
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
      expect(
        new Set(replies.filter(({ status }) => status !== 200).map(({ code }) => code)),
      ).toEqual(new Set(['rate_limit_exceeded']));
    });

    test('a plan that an account gets and loses, a suspension and a resumption apply everywhere', async () => {
      const tokens = await createTokens('changing', 2);
      await askAll(tokens, 3);
      await put('changing', { plan: 'enterprise', quota: { perMinute: 50, perDay: 500 } });
      await untilLimit(tokens, 50);
      await put('changing', { plan: null });
      await untilLimit(tokens, 1_000);
      const untilStatus = (status: number) =>
        until(async () => (await askAll(tokens, 6)).every((reply) => reply.status === status));
      await admin.call('/accounts/changing/suspend', { method: 'POST' });
      await untilStatus(403);
      await admin.call('/accounts/changing/resume', { method: 'POST' });
      await untilStatus(200);
    });

    test('a ban goes along with its key when its account loses the plan, and its siblings have none', async () => {
      const quota = { perMinute: 1, perDay: 100 };
      await put('hammered', { plan: 'enterprise', quota });
      const tokens = await createTokens('hammered', 2);
      const [hammering = '', sibling = ''] = tokens;
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
});
