import {
  openRedis,
  openRedisCluster,
  type Redis,
  type RedisCluster,
  until,
} from '@animal-store/testkit';
import { Redis as Client } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askAtOnce, type Replicas, randomOf, startReplicas } from '../support/replicas.ts';

/** One command that a client sent, as MONITOR shows it. */
interface Command {
  /** Unix time in seconds, by Redis. */
  readonly at: number;
  readonly words: readonly string[];
  /** Address and port of the client's connection; one a replica. */
  readonly source: string;
}

describe('one Redis', () => {
  let redis: Redis;
  let replicas: Replicas;
  const stack = new AsyncDisposableStack();
  const seen: Command[] = [];

  beforeAll(async () => {
    redis = stack.use(await openRedis());
    const env = { REDIS_URL: redis.url, REPLICAS: '2', ADDRESS_PER_MINUTE: '100000' };
    replicas = stack.use(await startReplicas({ env: [env, env] }));
    const client = new Client(redis.url);
    const monitor = await client.monitor();
    stack.defer(() => {
      monitor.disconnect();
      client.disconnect();
    });
    monitor.on('monitor', (time: string, words: string[], source: string) => {
      // What a script does is no round trip.
      if (source !== 'lua') seen.push({ at: Number(time), words, source });
    });
    // Each script has been sent in full once, by whichever replica was first.
    const token = await replicas.createToken('pro');
    await askAtOnce(replicas, { token, times: 50, servers: replicas.servers });
    await askAtOnce(replicas, { times: 50, servers: replicas.servers });
  });
  afterAll(() => stack.disposeAsync());

  /** What Redis was sent while `work` went on. */
  async function commandsDuring(work: () => Promise<unknown>): Promise<Command[]> {
    const mark = async (name: string) => {
      await redis.command('echo', name);
      return until(() => seen.findIndex(({ words }) => words.includes(name)) + 1);
    };
    const stamp = `${seen.length}`;
    const from = await mark(`from-${stamp}`);
    await work();
    const to = await mark(`to-${stamp}`);
    return seen.slice(from, to - 1);
  }

  const namesOf = (commands: readonly Command[]) =>
    commands.map(({ words: [name = ''] }) => name.toLowerCase());

  test('an admitted request costs at most one command', async () => {
    const token = await replicas.createToken('pro');
    const commands = await commandsDuring(async () => {
      const replies = await askAtOnce(replicas, { token, times: 200, servers: replicas.servers });
      expect(replies.every(({ status }) => status === 200)).toBe(true);
    });
    expect(new Set(namesOf(commands))).toEqual(new Set(['evalsha']));
    expect(commands.length).toBeLessThanOrEqual(200);
  });

  test('a request without a key costs one command', async () => {
    const commands = await commandsDuring(() =>
      askAtOnce(replicas, { times: 50, servers: replicas.servers }),
    );
    expect(namesOf(commands)).toEqual(Array(50).fill('evalsha'));
  });

  test('a banned key that keeps calling costs each replica at most one command in two seconds', async () => {
    const token = await replicas.createToken({ perMinute: 1, perDay: 10 });
    await until(async () => {
      const replies = await askAtOnce(replicas, { token, times: 20, servers: replicas.servers });
      return replies.every(({ code }) => code === 'key_temporarily_banned');
    });

    let sent = 0;
    const commands = await commandsDuring(async () => {
      const first = seen.length;
      const isDone = () => {
        const bySource = Map.groupBy(seen.slice(first), ({ source }) => source);
        return [...bySource.values()].filter(({ length }) => length >= 3).length === 2;
      };
      const hammer = async () => {
        while (!isDone()) {
          const { code } = await replicas.ask(randomOf(replicas.servers), token);
          expect(code).toBe('key_temporarily_banned');
          sent += 1;
        }
      };
      await Promise.all(Array.from({ length: 30 }, hammer));
    });

    expect(new Set(namesOf(commands))).toEqual(new Set(['evalsha']));
    // Most requests are answered from the replica's memory.
    expect(commands.length).toBeLessThan(sent / 4);
    const bySource = Map.groupBy(commands, ({ source }) => source);
    expect(bySource.size).toBe(2);
    for (const [source, own] of bySource) {
      const gaps = own.slice(1).map(({ at }, i) => at - (own[i]?.at ?? 0));
      // The answer to the last one was here a little later than it was decided.
      expect(Math.min(...gaps), source).toBeGreaterThan(1.95);
    }
  });

  test('every key in Redis expires', async () => {
    const names = (await redis.command('keys', '*')).split('\n');
    expect(names.filter((name) => name.startsWith('animal-store:key:')).length).toBeGreaterThan(2);
    expect(names.some((name) => name.startsWith('animal-store:network:'))).toBe(true);
    for (const name of names) {
      expect(name).toMatch(/^animal-store:/);
      expect(Number(await redis.command('pttl', name)), name).toBeGreaterThan(0);
      expect(Number(await redis.command('pttl', name)), name).toBeLessThanOrEqual(86_400_000);
    }
  });
});

describe('a Cluster', () => {
  let cluster: RedisCluster;
  let replicas: Replicas;
  const stack = new AsyncDisposableStack();

  beforeAll(async () => {
    cluster = stack.use(await openRedisCluster());
    const env = { REDIS_URL: cluster.urls.join(','), REPLICAS: '2' };
    replicas = stack.use(await startReplicas({ env: [env, env] }));
  });
  afterAll(() => stack.disposeAsync());

  test('the limit is exact on every node', async () => {
    for (const server of replicas.servers) expect(server.output()).not.toContain('Redis is away');
    const sizes = async () =>
      (await Promise.all(cluster.nodes.map((node) => node.command('dbsize')))).map(Number);
    // Until every node has a key at least.
    for (let i = 0; i < 12 || (await sizes()).includes(0); i += 1) {
      const token = await replicas.createToken('free');
      const replies = await askAtOnce(replicas, { token, times: 120, servers: replicas.servers });
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(60);
      expect(new Set(replies.map(({ reset }) => reset)).size).toBe(1);
    }
    for (const server of replicas.servers) expect(server.output()).not.toContain('Redis is away');
  });

  test('the limit is exact when requests of many keys arrive at once', async () => {
    const quota = { perMinute: 20, perDay: 1_000 };
    const tokens = await Promise.all(Array.from({ length: 12 }, () => replicas.createToken(quota)));
    const replies = await Promise.all(
      tokens.map((token) => askAtOnce(replicas, { token, times: 30, servers: replicas.servers })),
    );
    for (const ofKey of replies) {
      expect(ofKey.filter(({ status }) => status === 200)).toHaveLength(20);
    }
  });

  test('every key in Redis expires', async () => {
    for (const node of cluster.nodes) {
      const names = (await node.command('keys', '*')).split('\n');
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) {
        // Without an expiry it is -1; it may also have expired since it was listed.
        expect(await node.command('pttl', name), name).not.toBe('-1');
      }
    }
  });

  test('every request is served when a node dies', async () => {
    const tokens = await Promise.all(Array.from({ length: 12 }, () => replicas.createToken('pro')));
    await cluster.nodes[0]?.kill();
    const replies = (
      await Promise.all(
        tokens.map((token) => askAtOnce(replicas, { token, times: 20, servers: replicas.servers })),
      )
    ).flat();
    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    expect(replies.filter(({ limit, reset }) => !(limit > 0 && reset > 0))).toEqual([]);
    for (const server of replicas.servers) {
      expect(server.output()).toContain('Redis is away');
    }
  });

  test('the service logs the outage of a node once', async () => {
    const token = await replicas.createToken('pro');
    const countLines = () =>
      replicas.servers.map(({ output }) => output().match(/Redis is (away|back)/g)?.length);
    const before = countLines();
    // Two seconds: the replicas probe the node several times.
    const endsAt = performance.now() + 2_000;
    while (performance.now() < endsAt) {
      await askAtOnce(replicas, { token, times: 4, servers: replicas.servers });
    }
    expect(countLines()).toEqual(before);
  });
});
