import type { AccountDetails } from '@animal-store/contract/admin';
import { openRedis } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { type Reply, startReplicas } from '../support/replicas.ts';

const replicaCount = 3;
const share = 10;

test('without Redis, each replica admits its share of the limit of an account to all of its keys together', async () => {
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await openRedis());
  const env = {
    REDIS_URL: redis.url,
    REPLICAS: String(replicaCount),
    ADMIN_TOKEN: adminToken,
  };
  const replicas = stack.use(await startReplicas({ env: Array(replicaCount).fill(env) }));
  const admins = replicas.servers.map(adminOf);
  const [admin] = admins;
  if (admin === undefined) throw new Error('There is no replica.');
  // The limit of the day: no run is too slow for it.
  const quota = { perMinute: 1_000_000, perDay: replicaCount * share };
  await admin.call('/accounts/shared', {
    method: 'PUT',
    json: JSON.stringify({ plan: 'enterprise', quota }),
  });
  const tokens: string[] = [];
  for (const _ of [1, 2, 3]) tokens.push((await admin.create('{"account":"shared"}')).token);
  const alone = (await admin.create('{"plan":"free"}')).token;
  await redis.kill();

  for (const server of replicas.servers) {
    // Each key alone asks for less than the share.
    const replies: Reply[] = [];
    for (let n = 0; n < 24; n += 1) {
      replies.push(await replicas.ask(server, tokens[n % tokens.length]));
    }
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(share);
    const denied = replies.filter(({ status }) => status !== 200);
    expect(new Set(denied.map(({ code, limit }) => `${code} ${limit}`))).toEqual(
      new Set([`rate_limit_exceeded ${share}`]),
    );
    // A key without an account has its own share.
    expect((await replicas.ask(server, alone)).status).toBe(200);
  }
  for (const { call } of admins) {
    const details = (await call('/accounts/shared')).body as AccountDetails;
    expect(details.usage).toMatchObject({
      scope: 'replica',
      windows: { day: { limit: share, remaining: 0 } },
    });
  }
});
