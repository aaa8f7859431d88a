import { openRedis, type Server, startServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createDatabase } from '../support/databases.ts';
import { listAll } from '../support/list-all-pets.ts';
import { goodStatus, startMixedLoad } from '../support/mixed-load.ts';
import { openLoadBalancer } from '../support/reverse-proxy.ts';
import { wideQuota } from '../support/test-service.ts';

const replicas = 2;

/** Ended by a signal once the load balancer has seen that a server stops, however long that takes. */
const shutdownGraceMs = 60_000;
const graceUntilSignal = new URL(
  `../support/grace-until-signal.ts?ms=${shutdownGraceMs}`,
  import.meta.url,
);

test('replicas are restarted one after another under load, and no request fails', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase('postgres'));
  const redis = stack.use(await openRedis());
  const balancer = stack.use(await openLoadBalancer());
  const { db, close } = await database.open();
  const createToken = async () => {
    const key = { name: 'rollout', plan: 'enterprise', quota: wideQuota } as const;
    return (await createApiKey(db, key)).token;
  };
  const token = await createToken();
  const newTokens: string[] = [];
  while (newTokens.length < 200) newTokens.push(await createToken());
  await close();

  async function start(): Promise<Server> {
    const env = {
      ...database.env,
      REDIS_URL: redis.url,
      REPLICAS: String(replicas),
      PUBLIC_URL: balancer.origin,
      SHUTDOWN_GRACE_MS: String(shutdownGraceMs),
      NODE_OPTIONS: `--import=${graceUntilSignal}`,
      LOG_LEVEL: 'warn',
    };
    const server = stack.use(await startServer({ env }));
    await balancer.add(server);
    return server;
  }
  const untilServing = (server: Server) => {
    const enough = balancer.sentTo(server) + 20;
    return until(() => balancer.sentTo(server) >= enough);
  };

  const first = await Promise.all(Array.from({ length: replicas }, start));
  const baseUrl = `${balancer.origin}/v1`;
  await using load = startMixedLoad({ baseUrl, token, newTokens, callers: 8 });
  for (const server of first) {
    await untilServing(server);
    server.signal('SIGTERM');
    const [next] = await Promise.all([start(), balancer.untilAvoided(server)]);
    server.signal('SIGUSR2');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    await untilServing(next);
  }
  const creations = () => load.answers.filter(({ kind }) => kind === 'create');
  await until(() => creations().length > 100);
  await load.stop();

  expect(load.failures).toEqual([]);
  expect(load.answers.filter(({ kind, status }) => status !== goodStatus[kind])).toEqual([]);
  const created = creations().map(({ text }) => text);
  const there = await listAll({ baseUrl }, token);
  expect(there.size).toBe(created.length);
  for (const pet of created.map((text) => JSON.parse(text))) {
    expect(there.get(pet.id)).toEqual(pet);
  }
});
