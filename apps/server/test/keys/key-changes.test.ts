import { openRedis, type Redis, until } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Admin, adminOf, adminToken } from '../support/admin.ts';
import { freezableClocks, freezeClocks } from '../support/freeze-clocks.ts';
import { type Replicas, type Reply, startReplicas } from '../support/replicas.ts';

// Several replicas on one Postgres and one Redis. A change is made through the first, and must apply on
// all of them because it is announced: their clocks stand still, so no cached key expires.

const replicasOfThisRun = inject('isHeavy') ? 3 : 2;
/** How often a key is revoked, or suspended, or rotated. */
const timesOfThisRun = inject('isHeavy') ? 100 : 20;
const all = <T>(value: T): T[] => Array(replicasOfThisRun).fill(value);

let redis: Redis;
let replicas: Replicas;
let admin: Admin;

beforeAll(async () => {
  redis = await openRedis();
  // A refused key counts for its address, and all here come from one.
  const env = {
    REDIS_URL: redis.url,
    ADMIN_TOKEN: adminToken,
    ADDRESS_PER_MINUTE: '1000000',
    ...freezableClocks,
  };
  replicas = await startReplicas({ env: all(env) });
  const [first] = replicas.servers;
  if (first === undefined) throw new Error('No replica was started.');
  admin = adminOf(first);
  await Promise.all(replicas.servers.map(freezeClocks));
});
afterAll(async () => {
  await replicas[Symbol.asyncDispose]();
  await redis.close();
});

/** Asks each replica once, so that each has the key in its cache. */
const askAll = (token: string) =>
  Promise.all(replicas.servers.map((server) => replicas.ask(server, token)));
const statuses = async (token: string) => (await askAll(token)).map(({ status }) => status);

/** Waits until the replies of all replicas are as wanted. */
const untilAll = (token: string, isWanted: (reply: Reply) => boolean) =>
  until(async () => (await askAll(token)).every(isWanted));

test('all replicas refuse a key once it is revoked, every time', async () => {
  for (let i = 0; i < timesOfThisRun; i += 1) {
    const { key, token } = await admin.create('{"plan":"business"}');
    expect(await statuses(token)).toEqual(all(200));
    await admin.call(`/keys/${key.id}/revoke`, { method: 'POST' });
    await untilAll(token, ({ status }) => status === 401);
  }
});

test('all replicas refuse a suspended key and admit a resumed one, every time', async () => {
  const { key, token } = await admin.create('{"plan":"business"}');
  for (let i = 0; i < timesOfThisRun; i += 1) {
    expect(await statuses(token)).toEqual(all(200));
    await admin.call(`/keys/${key.id}/suspend`, { method: 'POST' });
    await untilAll(token, ({ status, code }) => status === 403 && code === 'key_suspended');
    await admin.call(`/keys/${key.id}/resume`, { method: 'POST' });
    await untilAll(token, ({ status }) => status === 200);
  }
});

test('a change of plan applies on all replicas and keeps the counts', async () => {
  const { key, token } = await admin.create('{"plan":"free"}');
  await askAll(token);
  await admin.call(`/keys/${key.id}`, { method: 'PATCH', json: '{"plan":"pro"}' });
  await untilAll(token, ({ limit }) => limit === 300);
  const [{ remaining = 0 } = {}] = await askAll(token);
  expect(remaining).toBeLessThanOrEqual(300 - 2 * replicasOfThisRun);
});

test('during a rotation the old and the new token are valid on all replicas', async () => {
  for (let i = 0; i < timesOfThisRun / 4; i += 1) {
    const { key, token } = await admin.create('{"plan":"business"}');
    await askAll(token);
    const answer = admin.call(`/keys/${key.id}/rotate`, { json: '{"graceSeconds":60}' });
    for (let n = 0; n < 5; n += 1) expect(await statuses(token)).toEqual(all(200));
    const { token: next } = (await answer).body as { token: string };
    expect(await statuses(next)).toEqual(all(200));
    expect(await statuses(token)).toEqual(all(200));
  }
});

test('an unban through one replica ends the ban on all of them', async () => {
  const { key, token } = await admin.create(
    '{"plan":"enterprise","quota":{"perMinute":1,"perDay":1000}}',
  );
  await askAll(token);
  await untilAll(token, ({ code }) => code === 'key_temporarily_banned');
  await admin.call(`/keys/${key.id}/unban`, { method: 'POST' });
  await untilAll(token, ({ code }) => code !== 'key_temporarily_banned');
});
