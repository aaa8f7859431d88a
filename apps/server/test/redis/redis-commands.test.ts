import {
  openRedis,
  openRedisCluster,
  type Redis,
  type RedisCluster,
  until,
} from '@animal-store/testkit';
import { Redis as Client } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample, scrape } from '../support/observed.ts';
import { askAtOnce, type Replicas, startReplicas, untilRedisDecides } from '../support/replicas.ts';

/** One command that a client sent, as MONITOR shows it. */
interface Command {
  readonly words: readonly string[];
}

describe('one Redis', () => {
  let redis: Redis;
  let replicas: Replicas;
  const stack = new AsyncDisposableStack();
  const seen: Command[] = [];

  beforeAll(async () => {
    redis = stack.use(await openRedis());
    const env = {
      REDIS_URL: redis.url,
      REPLICAS: '2',
      ADDRESS_PER_MINUTE: '100000',
    };
    replicas = stack.use(await startReplicas({ env: [env, env] }));
    const client = new Client(redis.url);
    const monitor = await client.monitor();
    stack.defer(() => {
      monitor.disconnect();
      client.disconnect();
    });
    monitor.on('monitor', (_time: string, words: string[], source: string) => {
      // What a script does is no round trip.
      if (source !== 'lua') seen.push({ words });
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

  test('a request without a key costs at most one command', async () => {
    const commands = await commandsDuring(() =>
      askAtOnce(replicas, { times: 50, servers: replicas.servers }),
    );
    expect(new Set(namesOf(commands))).toEqual(new Set(['evalsha']));
    expect(commands.length).toBeLessThanOrEqual(50);
  });

  test('every key in Redis expires', async () => {
    // That of the tests above may have expired.
    await askAtOnce(replicas, { times: 1, servers: replicas.servers });
    const names = (await redis.command('keys', '*')).split('\n');
    expect(names.filter((name) => name.startsWith('animal-store:key:')).length).toBeGreaterThan(0);
    expect(names.some((name) => name.startsWith('animal-store:allowance:network:'))).toBe(true);
    for (const name of names) {
      expect(name).toMatch(/^animal-store:/);
      const expiresMs = Number(await redis.command('pttl', name));
      // Without an expiry it is -1; it may also have expired since it was listed.
      expect(expiresMs, name).not.toBe(-1);
      expect(expiresMs, name).toBeLessThanOrEqual(86_400_000);
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
    await untilRedisDecides(replicas);
  });
  afterAll(() => stack.disposeAsync());

  /** How often each replica has said that Redis is away. */
  const countOutages = () =>
    replicas.servers.map(({ output }) => output().match(/Redis is away/g)?.length ?? 0);

  test('the limit is exact on every node', async () => {
    const before = countOutages();
    const sizes = async () =>
      (await Promise.all(cluster.nodes.map((node) => node.command('dbsize')))).map(Number);
    // Until every node has a key at least.
    for (let i = 0; i < 12 || (await sizes()).includes(0); i += 1) {
      const token = await replicas.createToken('free');
      const replies = await askAtOnce(replicas, { token, times: 120, servers: replicas.servers });
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(60);
      expect(new Set(replies.map(({ reset }) => reset)).size).toBe(1);
    }
    expect(countOutages()).toEqual(before);
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
    const before = countOutages();
    await cluster.nodes[0]?.kill();
    // Until each replica has asked for a key of that node: it is chance which keys are. The log is written
    // a moment after the responses.
    do {
      const tokens = await Promise.all(
        Array.from({ length: 12 }, () => replicas.createToken('pro')),
      );
      const replies = (
        await Promise.all(
          tokens.map((token) =>
            askAtOnce(replicas, { token, times: 20, servers: replicas.servers }),
          ),
        )
      ).flat();
      expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
      expect(replies.filter(({ limit, reset }) => !(limit > 0 && reset > 0))).toEqual([]);
    } while (!countOutages().every((times, i) => times > (before[i] ?? 0)));
  });

  /** How many SET commands each replica has sent. Only probes send them. */
  const countSets = () =>
    Promise.all(
      replicas.servers.map(async (server) => {
        const series = 'animal_store_redis_command_duration_seconds_count{command="set"}';
        return sample(await scrape(server), series) ?? 0;
      }),
    );

  test('the service logs the outage of a node once', async () => {
    const token = await replicas.createToken('pro');
    const countLines = () =>
      replicas.servers.map(({ output }) => output().match(/Redis is (away|back)/g)?.length);
    const before = countLines();
    // A probe writes 32 keys, to whichever nodes it reaches: the replicas probe several times.
    const setsBefore = await countSets();
    const isProbedAgain = async () =>
      (await countSets()).every((sets, i) => sets >= (setsBefore[i] ?? 0) + 150);
    while (!(await isProbedAgain())) {
      await askAtOnce(replicas, { token, times: 4, servers: replicas.servers });
    }
    expect(countLines()).toEqual(before);
  });
});
