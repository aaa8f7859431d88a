import { readFileSync } from 'node:fs';
import { type TimeLimit, waitAtMost } from '@animal-store/runtime';
import { Cluster, Redis } from 'ioredis';
import { FailoverConnector } from './failover-connector.ts';
import { parseSentinelUrl } from './sentinel-url.ts';

/**
 * The methods that ioredis adds to a client for the scripts in the option `scripts`. The
 * documentation of ioredis declares such methods for all clients. But then users of this package
 * would see them on their own clients, which do not have them.
 */
interface ScriptCommands {
  /** Runs `decide.lua`, which decides requests. */
  decideConsumers(numberOfKeys: number, ...args: string[]): Promise<string>;
  /** Runs `set-ban.lua`, which stores the ban state of a consumer. */
  setBan(name: string, ban: Buffer, ttlMs: number, windows: number): Promise<null>;
  /** Runs `move-ban.lua`, which moves the ban state of a consumer to another Redis key. */
  moveBanBuffer(
    numberOfKeys: number,
    ...args: (string | number | Buffer)[]
  ): Promise<[ban: Buffer, ttlMs: number] | null>;
  /** Runs `end-ban.lua`, which deletes the ban state of a consumer. */
  endBan(
    numberOfKeys: number,
    ...args: (string | number)[]
  ): Promise<[strikes: number, bannedUntilMs: number]>;
  /** Runs `credit.lua`, which sets request counts to zero. */
  credit(name: string): Promise<null>;
  /** Runs `probe.lua`, which calls every command that the other scripts use. */
  probeCommands(name: string): Promise<number>;
}

/**
 * A client of ioredis for a single Redis, whose address Sentinels may provide, or for a Redis
 * Cluster.
 */
type RedisClient = Redis | Cluster;

/** The connection to Redis that the quotas use. It has a method for each of their scripts. */
export type RedisConnection = RedisClient & ScriptCommands;

const retryDelayMs = (attempt: number) => Math.min(attempt * 50, 250);

/** Returns the time until the connection to a lost Sentinel is opened again. */
const sentinelReconnectMs = (attempt: number) => Math.min(attempt * 2_000, 10_000);

/**
 * Returns the connection options that the quotas need. They replace the options of an ioredis
 * client that the caller passes.
 */
const connectionTo = (connectTimeoutMs: number, connectionName: string) => ({
  // By default, ioredis queues commands until it is connected. A request must not wait, so a
  // command must fail immediately. The circuit breaker then makes this replica decide alone.
  lazyConnect: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // By default, ioredis would send an unanswered script again after a reconnect. Redis would then
  // count the same requests twice.
  autoResendUnfulfilledCommands: false,
  connectTimeout: connectTimeoutMs,
  retryStrategy: retryDelayMs,
  connectionName,
  // By default, ioredis sends CLIENT SETINFO twice on each new connection. Redis before 7.2 does
  // not know this command, so each of these commands would fail.
  disableClientInfo: true,
  // ioredis would put script calls for several slots of a Cluster into one pipeline, and refuse this
  // pipeline. The quotas have their own batches.
  enableAutoPipelining: false,
  // With this option, scripts would return texts instead of numbers.
  stringNumbers: false,
  // ioredis would reconnect once for each failed command in flight, and send the commands again.
  // Reconnecting is the task of the probe.
  reconnectOnError: null,
  // The options that follow only have an effect on a connection through Sentinels. The replica of
  // the service must write, so it needs the primary.
  role: 'master' as const,
  // Without this timeout, ioredis would wait forever for a Sentinel that does not respond, and would
  // not ask the other Sentinels.
  sentinelCommandTimeout: connectTimeoutMs,
  sentinelRetryStrategy: retryDelayMs,
  // The Sentinels announce a failover. Otherwise the replica of the service would count in the old
  // primary until the Sentinels have made it read-only.
  failoverDetector: true,
  // By default, ioredis waits a minute. A failover in the minute after a restart of the Sentinels
  // would not be noticed.
  sentinelReconnectStrategy: sentinelReconnectMs,
});

type Connection = ReturnType<typeof connectionTo>;

/**
 * The Redis to connect to: a client of the caller, one `redis://…` or `redis+sentinel://…` URL, or
 * several URLs of one Cluster.
 */
export type RedisSource = RedisClient | string | readonly string[];

/**
 * Opens a connection to Redis, and returns without waiting for it. A Redis that is down at the
 * start is treated like a Redis that goes down later.
 *
 * A client of the caller is duplicated with other options. With its own options, commands might
 * wait in a queue while Redis is down, or be sent again, and a request would then be counted twice.
 *
 * @param options.connectTimeoutMs the timeout of a connection to one host.
 */
export function openRedis(
  source: RedisSource,
  { connectTimeoutMs, name }: { connectTimeoutMs: number; name: string },
): RedisConnection {
  const connection = connectionTo(connectTimeoutMs, name);
  const redis = connect(source, connection);
  // Without a listener, a failed connection would end the process. The listener may ignore the
  // failure, because every command reports it too.
  redis.on('error', (error) => {
    // If Redis refuses the number of the database, ioredis would continue with database 0. This
    // replica would then not count together with the other replicas, so callers could exceed their
    // quotas.
    if (isRefusedDatabase(error) && redis instanceof Redis) redis.disconnect(true);
  });
  if (isCluster(redis)) {
    // By default, ioredis connects to a node at the node's first command, and rejects all other
    // commands until the connection is ready. Of many concurrent requests, only one would succeed.
    redis.on('+node', (node: Redis) => {
      ignoreFurtherErrors(node);
      node.connect().catch(() => {});
    });
  } else {
    ignoreFurtherErrors(redis);
  }
  // `connect` creates every client with the option `scripts`, so the client has the methods of
  // these scripts.
  return redis as RedisConnection;
}

function connect(source: RedisSource, connection: Connection): RedisClient {
  if (typeof source === 'string') return createRedis(source, connection);
  if (isUrls(source)) {
    const [url = '', ...others] = source;
    return others.length === 0 ? createRedis(url, connection) : createCluster(source, connection);
  }
  const scripts = readScripts();
  return isCluster(source)
    ? source.duplicate([], { ...clusterOptions(connection), scripts })
    : source.duplicate({
        ...connection,
        scripts,
        ...(source.options.sentinels && {
          Connector: source.options.Connector ?? FailoverConnector,
        }),
      });
}

const isUrls = (source: RedisSource): source is readonly string[] => Array.isArray(source);

/**
 * Returns whether a connection leads to a Cluster. The caller's client may come from another copy
 * of ioredis, for which `instanceof` would be false.
 */
export function isCluster(redis: RedisClient): redis is Cluster {
  return redis.isCluster;
}

/**
 * Ignores every further error of a connection. ioredis itself listens only to the first error
 * (https://github.com/redis/ioredis/issues/1183). A refused certificate can cause two errors, and
 * the second one would end the process.
 */
function ignoreFurtherErrors(redis: Redis): void {
  const known = new WeakSet<object>();
  redis.on('error', () => {
    const { stream } = redis;
    if (stream === undefined || known.has(stream)) return;
    known.add(stream);
    stream.on('error', () => {});
  });
}

/** Returns whether Redis refused the number of the database. */
export const isRefusedDatabase = (error: unknown) =>
  error instanceof Error &&
  (error as Error & { command?: { name?: string } }).command?.name === 'select';

function createRedis(url: string, connection: Connection): Redis {
  const sentinel = parseSentinelUrl(url);
  if (sentinel === undefined) {
    // ioredis reads the parameters of a URL as options, and they take precedence over the options
    // that are passed. A duplicate takes the options that are passed.
    const named = new Redis(url, { lazyConnect: true });
    named.disconnect();
    return named.duplicate({ ...connection, scripts: readScripts() });
  }
  const { isTls, ...address } = sentinel;
  return new Redis({
    ...connection,
    ...address,
    Connector: FailoverConnector,
    scripts: readScripts(),
    ...(isTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}

function createCluster(urls: readonly string[], connection: Connection): Cluster {
  return new Cluster([...urls], {
    ...clusterOptions(connection),
    redisOptions: { ...connection, ...accessOf(urls[0]) },
    scripts: readScripts(),
  });
}

/**
 * Returns the user, the password and the TLS options from a URL, for all nodes of its Cluster.
 * ioredis itself would not use them for the nodes that it discovers, so these nodes would refuse
 * the connection.
 */
function accessOf(url = ''): { username?: string; password?: string; tls?: object } {
  const { protocol, username, password } = new URL(url);
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}

const clusterOptions = (connection: Connection) => ({
  // For a Cluster, these two options belong at the top level. ioredis ignores them inside
  // `redisOptions`.
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  // `retryDelayOnFailover` and `retryDelayOnClusterDown` are 0. Otherwise ioredis would send a
  // command again that Redis may have counted already.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  clusterRetryStrategy: retryDelayMs,
  slotsRefreshTimeout: connection.connectTimeout,
  lazyConnect: false,
  redisOptions: connection,
});

/** Waits until Redis, or every node of a Cluster, is connected, or until the timeout. */
export async function untilReady(redis: RedisConnection, limit: TimeLimit): Promise<void> {
  await waitAtMost(limit, connected(redis), () => {});
}

async function connected(redis: RedisClient): Promise<void> {
  if (redis.status !== 'ready') {
    await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  }
  if (isCluster(redis)) await Promise.all(redis.nodes().map(connected));
}

/** Reads the Lua scripts for the `scripts` option of ioredis. */
function readScripts() {
  return {
    decideConsumers: { lua: read('decide.lua') },
    setBan: { lua: read('set-ban.lua'), numberOfKeys: 1 },
    moveBan: { lua: read('move-ban.lua') },
    endBan: { lua: read('end-ban.lua') },
    credit: { lua: read('credit.lua'), numberOfKeys: 1 },
    probeCommands: { lua: read('probe.lua'), numberOfKeys: 1 },
  };
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
