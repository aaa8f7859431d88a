import { readFileSync } from 'node:fs';
import { type TimeLimit, waitAtMost } from '@animal-store/runtime';
import { type ClientContext, Cluster, Redis, type Result } from 'ioredis';
import { parseSentinelUrl } from '../shared/sentinel-url.ts';

declare module 'ioredis' {
  // ioredis adds a method for each script of its `scripts` option.
  interface RedisCommander<Context extends ClientContext> {
    /** Runs `decide.lua`. */
    decideKeys(numberOfKeys: number, ...args: string[]): Result<string, Context>;
    /** Runs `set-ban.lua`. */
    setBan(name: string, ban: Buffer, ttlMs: number): Result<null, Context>;
    /** Runs `move-ban.lua`. */
    moveBanBuffer(
      numberOfKeys: number,
      ...args: (string | number)[]
    ): Result<[ban: Buffer, ttlMs: number] | null, Context>;
    /** Runs `end-ban.lua`. */
    endBan(numberOfKeys: number, ...names: string[]): Result<null, Context>;
    /** Runs `credit.lua`. */
    credit(name: string): Result<null, Context>;
  }
}

/** A connection to one Redis, which Sentinels may name, or to a Cluster. */
export type RedisConnection = Redis | Cluster;

const retryDelayMs = (attempt: number) => Math.min(attempt * 50, 250);

const connectionTo = (connectTimeoutMs: number) => ({
  // Every default here waits, and a request must not: see without-redis.ts.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // After a reconnect, a script that was in flight would run, and count, a second time.
  autoResendUnfulfilledCommands: false,
  connectTimeout: connectTimeoutMs,
  retryStrategy: retryDelayMs,
  connectionName: 'animal-store',
  // Redis before 7.2 refuses CLIENT SETINFO, and each connection would count two failed commands.
  disableClientInfo: true,
});

type Connection = ReturnType<typeof connectionTo>;

/**
 * Starts to connect and does not wait: a Redis that is away at the start is no different from one
 * that goes away later.
 *
 * @param urls one `redis://…`, one `redis+sentinel://…`, or several of one Cluster.
 * @param connectTimeoutMs how long it may take to connect to one host.
 */
export function openRedis(urls: readonly string[], connectTimeoutMs: number): RedisConnection {
  const connection = connectionTo(connectTimeoutMs);
  const [url = '', ...others] = urls;
  const redis =
    others.length === 0 ? createRedis(url, connection) : createCluster(urls, connection);
  // Without a listener, a failure to connect would end the process. Every command reports it as well.
  redis.on('error', (error) => {
    // ioredis goes on in database 0, where other replicas do not count.
    if (isRefusedDatabase(error) && redis instanceof Redis) redis.disconnect(true);
  });
  return redis;
}

const isRefusedDatabase = (error: unknown) =>
  error instanceof Error &&
  (error as Error & { command?: { name?: string } }).command?.name === 'select';

/**
 * Watches a connection for what no waiting mends: Redis refuses the database, the user or the password.
 *
 * @returns `sentence` gives the sentence for operators, or `undefined` if Redis refuses nothing now. `first` resolves
 * at the first refusal, so that a start need not wait for a connection that will never be ready.
 */
export function watchForRefusal(redis: RedisConnection) {
  const first = Promise.withResolvers<void>();
  let refusal: string | undefined;
  redis.on('error', (error: Error & { lastNodeError?: Error }) => {
    const { message } = error.lastNodeError ?? error;
    if (isRefusedDatabase(error)) {
      refusal = `REDIS_URL: Redis refuses the number of the database (${message}). Write a smaller one as the path, or raise its setting databases`;
    } else if (/^(?:WRONGPASS|NOAUTH) /.test(message)) {
      refusal = `REDIS_URL: Redis refuses the user or the password (${message})`;
    }
    if (refusal !== undefined) first.resolve();
  });
  redis.on('ready', () => {
    refusal = undefined;
  });
  return { sentence: () => refusal, first: first.promise };
}

function createRedis(url: string, connection: Connection): Redis {
  const sentinel = parseSentinelUrl(url);
  if (sentinel === undefined) return new Redis(url, { ...connection, scripts: readScripts() });
  const { isTls, ...address } = sentinel;
  return new Redis({
    ...connection,
    ...address,
    scripts: readScripts(),
    ...(isTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    // A Sentinel that hangs must not keep the others from being asked.
    sentinelCommandTimeout: connection.connectTimeout,
    sentinelRetryStrategy: retryDelayMs,
    failoverDetector: true,
  });
}

function createCluster(urls: readonly string[], connection: Connection): Cluster {
  const cluster = new Cluster([...urls], {
    // In a Cluster this option belongs here; inside `redisOptions` it is ignored.
    enableOfflineQueue: false,
    // Each of these would send a command again that may have counted already.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    clusterRetryStrategy: retryDelayMs,
    slotsRefreshTimeout: connection.connectTimeout,
    redisOptions: connection,
    scripts: readScripts(),
  });
  // By default ioredis connects to a node at the node's first command, and rejects all other commands
  // until it is connected: of many requests at once, all but the first.
  cluster.on('+node', (node: Redis) => node.connect().catch(() => {}));
  return cluster;
}

/** Waits until Redis, or every node of a Cluster, is connected, but no longer than the limit. */
export async function untilReady(redis: RedisConnection, limit: TimeLimit): Promise<void> {
  await waitAtMost(limit, connected(redis), () => {});
}

async function connected(redis: RedisConnection): Promise<void> {
  if (redis.status !== 'ready') {
    await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  }
  if (redis instanceof Cluster) await Promise.all(redis.nodes().map(connected));
}

/** Reads the Lua scripts: what ioredis's option `scripts` expects. */
function readScripts() {
  return {
    decideKeys: { lua: read('decide.lua') },
    setBan: { lua: read('set-ban.lua'), numberOfKeys: 1 },
    moveBan: { lua: read('move-ban.lua') },
    endBan: { lua: read('end-ban.lua') },
    credit: { lua: read('credit.lua'), numberOfKeys: 1 },
  };
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
