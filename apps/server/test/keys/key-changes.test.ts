import { openRedis, type Redis } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Admin, adminOf, adminToken } from '../support/admin.ts';
import { type Replicas, startReplicas } from '../support/replicas.ts';

// Three replicas on one Postgres and one Redis. A change is made through the first, and must hold on
// all of them within a second.
const withinMs = 1_000;

let redis: Redis;
let replicas: Replicas;
let admin: Admin;

beforeAll(async () => {
  redis = await openRedis();
  // A refused key counts for its address, and all here come from one.
  const env = { REDIS_URL: redis.url, ADMIN_TOKEN: adminToken, ADDRESS_PER_MINUTE: '1000000' };
  replicas = await startReplicas({ env: [env, env, env] });
  const [first] = replicas.servers;
  if (first === undefined) throw new Error('No replica was started.');
  admin = adminOf(first);
});
afterAll(async () => {
  await replicas[Symbol.asyncDispose]();
  await redis.close();
});

/** What each replica answers to a key at the moment: so every one of them has it in its cache. */
const askAll = (token: string) =>
  Promise.all(replicas.servers.map((server) => replicas.ask(server, token)));
const statuses = async (token: string) => (await askAll(token)).map(({ status }) => status);

async function holds(
  token: string,
  wanted: (reply: Awaited<ReturnType<typeof askAll>>) => boolean,
) {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) if (wanted(await askAll(token))) return true;
  return false;
}

test('a revoked key is refused by all replicas within a second, 100 times out of 100', async () => {
  for (let i = 0; i < 100; i += 1) {
    const { key, token } = await admin.create('{"plan":"business"}');
    expect(await statuses(token)).toEqual([200, 200, 200]);
    await admin.call(`/keys/${key.id}/revoke`, { method: 'POST' });
    expect(await holds(token, (all) => all.every(({ status }) => status === 401)), `${i}`).toBe(
      true,
    );
  }
});

test('a change of plan holds on all replicas within a second, and keeps the counts', async () => {
  const { key, token } = await admin.create('{"plan":"free"}');
  await askAll(token);
  await admin.call(`/keys/${key.id}`, { method: 'PATCH', json: '{"plan":"pro"}' });
  expect(await holds(token, (all) => all.every(({ limit }) => limit === 300))).toBe(true);
  const [{ remaining = 0 } = {}] = await askAll(token);
  expect(remaining).toBeLessThanOrEqual(300 - 3 - 3);
});

test('a rotation has no gap: old and new are good on all replicas, all along', async () => {
  for (let i = 0; i < 10; i += 1) {
    const { key, token } = await admin.create('{"plan":"business"}');
    await askAll(token);
    const answer = admin.call(`/keys/${key.id}/rotate`, { json: '{"graceSeconds":60}' });
    for (let n = 0; n < 5; n += 1) expect(await statuses(token)).toEqual([200, 200, 200]);
    const { token: next } = (await answer).body as { token: string };
    expect(await statuses(next)).toEqual([200, 200, 200]);
    expect(await statuses(token)).toEqual([200, 200, 200]);
  }
});

test('a ban that is lifted through one replica has ended on all within a second', async () => {
  const { key, token } = await admin.create(
    '{"plan":"enterprise","quota":{"perMinute":1,"perDay":1000}}',
  );
  await askAll(token);
  const banned = (all: Awaited<ReturnType<typeof askAll>>) =>
    all.every(({ code }) => code === 'key_temporarily_banned');
  await expect.poll(async () => banned(await askAll(token)), { timeout: 20_000 }).toBe(true);
  await admin.call(`/keys/${key.id}/unban`, { method: 'POST' });
  const lifted = await holds(token, (all) =>
    all.every(({ code }) => code !== 'key_temporarily_banned'),
  );
  expect(lifted).toBe(true);
});
