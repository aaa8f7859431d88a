import { readFileSync } from 'node:fs';
import { type TimeLimit, waitAtMost } from '@animal-store/runtime';
import { type ClientContext, Cluster, Redis, type Result } from 'ioredis';
import { parseSentinelUrl } from './sentinel-url.ts';

declare module 'ioredis' {
  // ioredis adds a method for each script of its `scripts` option.
  interface RedisCommander<Context extends ClientContext> {
    /** Runs `decide.lua`. */
    decideConsumers(numberOfKeys: number, ...args: string[]): Result<string, Context>;
    /** Runs `set-ban.lua`. */
    setBan(name: string, ban: Buffer, ttlMs: number, windows: number): Result<null, Context>;
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

/** What decisions rely on, also where the caller's own client has other options. */
const connectionTo = (connectTimeoutMs: number, connectionName: string) => ({
  // Every default here waits, and a request must not: see circuit-breaker.ts.
  lazyConnect: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // After a reconnect, a script that was in flight would run, and count, a second time.
  autoResendUnfulfilledCommands: false,
  connectTimeout: connectTimeoutMs,
  retryStrategy: retryDelayMs,
  connectionName,
  // Redis before 7.2 refuses CLIENT SETINFO, and each connection would count two failed commands.
  disableClientInfo: true,
});

type Connection = ReturnType<typeof connectionTo>;

/** Where Redis is: a client of the caller, one `redis://…` or `redis+sentinel://…`, or several URLs of one Cluster. */
export type RedisSource = RedisConnection | string | readonly string[];

/**
 * Starts to connect and does not wait: a Redis that is down at the start is no different from one that goes down
 * later.
 *
 * A client of the caller is duplicated: it may queue and send again what must fail at once, and count once.
 *
 * @param options.connectTimeoutMs how long it may take to connect to one host.
 */
export function openRedis(
  source: RedisSource,
  { connectTimeoutMs, name }: { connectTimeoutMs: number; name: string },
): RedisConnection {
  const connection = connectionTo(connectTimeoutMs, name);
  const redis = connect(source, connection);
  // Without a listener, a failure to connect would end the process. Every command reports it as well.
  redis.on('error', (error) => {
    // ioredis goes on in database 0, where other replicas do not count.
    if (isRefusedDatabase(error) && redis instanceof Redis) redis.disconnect(true);
  });
  if (isCluster(redis)) {
    // By default ioredis connects to a node at the node's first command, and rejects all other commands
    // until it is connected: of many requests at once, all but the first.
    redis.on('+node', (node: Redis) => {
      bearErrors(node);
      node.connect().catch(() => {});
    });
  } else {
    bearErrors(redis);
  }
  return redis;
}

function connect(source: RedisSource, connection: Connection): RedisConnection {
  if (typeof source === 'string') return createRedis(source, connection);
  if (isUrls(source)) {
    const [url = '', ...others] = source;
    return others.length === 0 ? createRedis(url, connection) : createCluster(source, connection);
  }
  const scripts = readScripts();
  return isCluster(source)
    ? source.duplicate([], { ...clusterOptions(connection), scripts })
    : source.duplicate({ ...connection, scripts });
}

const isUrls = (source: RedisSource): source is readonly string[] => Array.isArray(source);

/** Not by `instanceof`: the caller's client may come from another copy of ioredis. */
export function isCluster(redis: RedisConnection): redis is Cluster {
  return redis.isCluster;
}

/**
 * Listens to every error of a connection. ioredis listens to the first one only, and a certificate that is refused can
 * cause two: the second one would end the process.
 */
function bearErrors(redis: Redis): void {
  const known = new WeakSet<object>();
  redis.on('error', () => {
    const { stream } = redis;
    if (stream === undefined || known.has(stream)) return;
    known.add(stream);
    stream.on('error', () => {});
  });
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
      refusal = `Redis refuses the number of the database (${message}). Write a smaller one as the path, or raise its setting databases`;
    } else if (/^(?:WRONGPASS|NOAUTH) /.test(message)) {
      refusal = `Redis refuses the user or the password (${message})`;
    }
    if (refusal !== undefined) first.resolve();
  });
  redis.on('ready', () => {
    refusal = undefined;
  });
  return { sentence: () => refusal, first: first.promise };
}

/**
 * Watches a connection for why Redis does not decide. While there is none, a command fails in words about options
 * of ioredis; what happened is in the connection's own last error.
 *
 * @returns a function that gives the reason, by the failure of a command.
 */
export function watchForReason(redis: RedisConnection): (failure: unknown) => unknown {
  let lastError: unknown;
  redis.on('error', (error: Error & { lastNodeError?: unknown }) => {
    // A ClusterAllFailedError has that of the last node.
    lastError = error.lastNodeError ?? error;
  });
  redis.on('ready', () => {
    lastError = undefined;
  });
  return (failure) => {
    if (redis.status === 'ready') return failure;
    return lastError ?? new Error('The connection to Redis was lost.', { cause: failure });
  };
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
  return new Cluster([...urls], { ...clusterOptions(connection), scripts: readScripts() });
}

const clusterOptions = (connection: Connection) => ({
  // In a Cluster this option belongs here; inside `redisOptions` it is ignored.
  enableOfflineQueue: false,
  // Each of these would send a command again that may have counted already.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  clusterRetryStrategy: retryDelayMs,
  slotsRefreshTimeout: connection.connectTimeout,
  lazyConnect: false,
  redisOptions: connection,
});

/** Waits until Redis, or every node of a Cluster, is connected, but no longer than the limit. */
export async function untilReady(redis: RedisConnection, limit: TimeLimit): Promise<void> {
  await waitAtMost(limit, connected(redis), () => {});
}

async function connected(redis: RedisConnection): Promise<void> {
  if (redis.status !== 'ready') {
    await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  }
  if (isCluster(redis)) await Promise.all(redis.nodes().map(connected));
}

/** Reads the Lua scripts: what ioredis's option `scripts` expects. */
function readScripts() {
  return {
    decideConsumers: { lua: read('decide.lua') },
    setBan: { lua: read('set-ban.lua'), numberOfKeys: 1 },
    moveBan: { lua: read('move-ban.lua') },
    endBan: { lua: read('end-ban.lua') },
    credit: { lua: read('credit.lua'), numberOfKeys: 1 },
  };
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
