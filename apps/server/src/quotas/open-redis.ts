import { Cluster, Redis } from 'ioredis';
import { waitAtMost } from '../shared/wait-at-most.ts';

/** A connection to one Redis, or to a Cluster. */
export type RedisConnection = Redis | Cluster;

/** A Lua script on a connection. */
export type RedisScript<Reply> = (
  numberOfKeys: number,
  ...args: (string | number)[]
) => Promise<Reply>;

/** Lets a connection run a script: by EVALSHA, and by EVAL where Redis does not know the script. */
export function defineScript<Reply>(
  redis: RedisConnection,
  name: string,
  lua: string,
): RedisScript<Reply> {
  redis.defineCommand(name, { lua });
  // Taken off the connection at once: another script of the same name would replace it there.
  const run = (redis as RedisConnection & Record<string, RedisScript<Reply>>)[name];
  if (run === undefined) throw new TypeError(`ioredis has not defined the script ${name}.`);
  return run.bind(redis);
}

const connection = {
  // Every default here waits, and a request must not: see circuit-breaker.ts.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // After a reconnect, a script that was in flight would run, and count, a second time.
  autoResendUnfulfilledCommands: false,
  connectTimeout: 1_000,
  retryStrategy: (attempt: number) => Math.min(attempt * 50, 250),
  connectionName: 'animal-store',
  // Redis before 7.2 refuses CLIENT SETINFO, and each connection would count two failed commands.
  disableClientInfo: true,
};

/**
 * Starts to connect and does not wait: a Redis that is away at the start is no different from one
 * that goes away later.
 *
 * @param urls one `redis://…`, or several of one Cluster.
 */
export function openRedis(urls: readonly string[]): RedisConnection {
  const [url = '', ...others] = urls;
  const redis =
    others.length === 0
      ? new Redis(url, connection)
      : new Cluster([...urls], {
          // In a Cluster this option belongs here; inside `redisOptions` it is ignored.
          enableOfflineQueue: false,
          // Each of these would send a command again that may have counted already.
          retryDelayOnFailover: 0,
          retryDelayOnClusterDown: 0,
          clusterRetryStrategy: (attempt) => Math.min(attempt * 50, 250),
          slotsRefreshTimeout: 1_000,
          redisOptions: connection,
        });
  if (redis instanceof Cluster) {
    // By default ioredis connects to a node at the node's first command, and rejects all other commands
    // until it is connected: of many requests at once, all but the first.
    redis.on('+node', (node: Redis) => node.connect().catch(() => {}));
  }
  // Without a listener, a failure to connect would end the process. Every command reports it as well.
  redis.on('error', () => {});
  return redis;
}

/** Waits until Redis, or every node of a Cluster, is connected, but no longer than `timeoutMs`. */
export async function untilReady(redis: RedisConnection, timeoutMs: number): Promise<void> {
  await waitAtMost(timeoutMs, connected(redis), () => {});
}

async function connected(redis: RedisConnection): Promise<void> {
  if (redis.status !== 'ready') {
    await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  }
  if (redis instanceof Cluster) await Promise.all(redis.nodes().map(connected));
}
