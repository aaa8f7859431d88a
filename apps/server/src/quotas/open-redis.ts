import { Cluster, Redis } from 'ioredis';

/** A connection to one Redis, or to a Cluster. */
export type RedisConnection = Redis | Cluster;

const connection = {
  // Every default here waits; a request must not. See quotas/resilient-quotas.ts for what it does instead.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // After a reconnect, a script that was on its way would run, and count, a second time.
  autoResendUnfulfilledCommands: false,
  connectTimeout: 1_000,
  retryStrategy: (attempt: number) => Math.min(attempt * 50, 250),
  connectionName: 'animal-store',
};

/**
 * Begins to connect, and does not wait: a Redis that is away at the start is no different from one
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
    // ioredis would connect to a node at the node's first command, and refuse what comes until it is
    // connected: of many requests at once, all but the first.
    redis.on('+node', (node: Redis) => node.connect().catch(() => {}));
  }
  // Without a listener a failure to connect would end the process. It shows in every command too.
  redis.on('error', () => {});
  return redis;
}

/** Waits until Redis can be asked, in a Cluster every node of it, and no longer than `timeoutMs`. */
export async function untilReady(redis: RedisConnection, timeoutMs: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, timeoutMs);
  await Promise.race([late.promise, connected(redis)]);
  clearTimeout(timer);
}

async function connected(redis: RedisConnection): Promise<void> {
  if (redis.status !== 'ready') {
    await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  }
  if (redis instanceof Cluster) await Promise.all(redis.nodes().map(connected));
}
