import { readFileSync } from 'node:fs';
import { type TimeLimit, waitAtMost } from '@animal-store/runtime';
import { type ClientContext, Cluster, Redis, type Result } from 'ioredis';
import { parseSentinelUrl } from './sentinel-url.ts';

declare module 'ioredis' {
  // ioredis adds a method for each script in its `scripts` option.
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
    endBan(
      numberOfKeys: number,
      ...args: (string | number)[]
    ): Result<[strikes: number, bannedUntilMs: number], Context>;
    /** Runs `credit.lua`. */
    credit(name: string): Result<null, Context>;
    /** Runs `probe.lua`. */
    probeCommands(name: string): Result<number, Context>;
  }
}

/** A connection to one Redis, which Sentinels may find, or to a Cluster. */
export type RedisConnection = Redis | Cluster;

const retryDelayMs = (attempt: number) => Math.min(attempt * 50, 250);

/** Options that decisions rely on. They override the options of a client that the caller passes. */
const connectionTo = (connectTimeoutMs: number, connectionName: string) => ({
  // ioredis waits by default, but a request must not wait: see circuit-breaker.ts.
  lazyConnect: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // After a reconnect, ioredis would run a script that was in flight a second time, and count
  // twice.
  autoResendUnfulfilledCommands: false,
  connectTimeout: connectTimeoutMs,
  retryStrategy: retryDelayMs,
  connectionName,
  // Redis before 7.2 refuses CLIENT SETINFO, so each connection would count two failed commands.
  disableClientInfo: true,
});

type Connection = ReturnType<typeof connectionTo>;

/**
 * Where Redis is: a client of the caller, one `redis://…` or `redis+sentinel://…` URL, or several
 * URLs of one Cluster.
 */
export type RedisSource = RedisConnection | string | readonly string[];

/**
 * Starts to connect, and does not wait: a Redis that is down at the start is handled like one that
 * goes down later.
 *
 * A client of the caller is duplicated, because its options may queue commands and send them again.
 * Decisions must fail at once, and count once.
 *
 * @param options.connectTimeoutMs the timeout of a connection to one host.
 */
export function openRedis(
  source: RedisSource,
  { connectTimeoutMs, name }: { connectTimeoutMs: number; name: string },
): RedisConnection {
  const connection = connectionTo(connectTimeoutMs, name);
  const redis = connect(source, connection);
  // Without a listener, a failure to connect would end the process. Every command reports the
  // failure as well.
  redis.on('error', (error) => {
    // ioredis would continue in database 0, where other replicas do not count.
    if (isRefusedDatabase(error) && redis instanceof Redis) redis.disconnect(true);
  });
  if (isCluster(redis)) {
    // By default ioredis connects to a node at the node's first command, and rejects all other
    // commands until it is connected. Of many concurrent requests, only one would succeed.
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

/**
 * Returns whether the value is a Cluster. It does not use `instanceof`, because the caller's client
 * may come from another copy of ioredis.
 */
export function isCluster(redis: RedisConnection): redis is Cluster {
  return redis.isCluster;
}

/**
 * Listens to every error of a connection. ioredis listens only to the first one. A refused
 * certificate can cause two errors, and the second one would end the process.
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

/** The errors for a command that Redis, or its list of a user's permissions, does not know. */
const isRefusedCommand = (message: string) =>
  /^NOPERM |can't run this command|unknown (?:redis )?command/i.test(message);

/**
 * Watches a connection for refusals that retries do not fix: Redis refuses the database, the user,
 * the password or a command.
 *
 * @returns `sentence` returns the sentence for operators, or `undefined` if Redis refuses nothing
 *   now. `first` resolves at the first refusal, so that a start need not wait for a connection that
 *   will never be ready. `watchProbe` runs a probe, which may find that Redis refuses a command.
 */
export function watchForRefusal(redis: RedisConnection) {
  const first = Promise.withResolvers<void>();
  let refusal: string | undefined;
  redis.on('error', (error: Error & { lastNodeError?: Error }) => {
    const { message } = error.lastNodeError ?? error;
    if (isRefusedDatabase(error)) {
      refusal = `Redis refuses the number of the database (${message}). Use a smaller number as the path of the URL, or increase Redis's setting databases`;
    } else if (/^(?:WRONGPASS|NOAUTH) /.test(message)) {
      refusal = `Redis refuses the user or the password (${message})`;
    } else if (isRefusedCommand(message)) {
      refusal = describeRefusedCommand(message);
    }
    if (refusal !== undefined) first.resolve();
  });
  redis.on('ready', () => {
    refusal = undefined;
  });
  async function watchProbe(probe: () => Promise<void>): Promise<void> {
    try {
      await probe();
      refusal = undefined;
    } catch (error) {
      if (error instanceof Error && isRefusedCommand(error.message)) {
        refusal = describeRefusedCommand(error.message);
      }
      throw error;
    }
  }
  return { sentence: () => refusal, first: first.promise, watchProbe };
}

// The message of Redis repeats the arguments of an unknown command.
const describeRefusedCommand = (message: string) =>
  `Redis refuses a command that the limits need (${message.split(', with args')[0]}). Allow it to the user: see "Least rights" in docs/operating.md`;

/**
 * Warns once if Redis evicts data when its memory is full, because evicted counts begin again. A
 * Redis that does not report its settings is not checked.
 */
export function warnOfEviction(redis: RedisConnection, onWarning: (sentence: string) => void) {
  let hasWarned = false;
  async function check(): Promise<void> {
    for (const node of isCluster(redis) ? redis.nodes('master') : [redis]) {
      const facts = await node.info('memory');
      const policy = /^maxmemory_policy:(\S+)/m.exec(facts)?.[1] ?? 'noeviction';
      const isLimited = /^maxmemory:[1-9]/m.test(facts);
      if (!isLimited || policy === 'noeviction' || hasWarned) continue;
      hasWarned = true;
      onWarning(
        `Redis evicts data when its memory is full (maxmemory-policy ${policy}), and evicted counts begin again. Set maxmemory-policy to noeviction`,
      );
    }
  }
  const start = () => void check().catch(() => {});
  redis.on('ready', start);
  if (redis.status === 'ready') start();
}

/**
 * Watches a connection for the reason of an outage. Without a connection, the error of a command
 * only mentions options of ioredis. The last error of the connection has the reason.
 *
 * @returns a function that maps the error of a command to the reason.
 */
export function watchForReason(redis: RedisConnection): (failure: unknown) => unknown {
  let lastError: unknown;
  redis.on('error', (error: Error & { lastNodeError?: unknown }) => {
    // A ClusterAllFailedError contains the error of the last node.
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
    // A Sentinel that hangs must not prevent ioredis from asking the others.
    sentinelCommandTimeout: connection.connectTimeout,
    sentinelRetryStrategy: retryDelayMs,
    failoverDetector: true,
  });
}

function createCluster(urls: readonly string[], connection: Connection): Cluster {
  const redisOptions = { ...connection, ...accessOf(urls[0]) };
  return new Cluster([...urls], {
    ...clusterOptions(connection),
    redisOptions,
    scripts: readScripts(),
  });
}

/**
 * Returns the user, the password and TLS of a URL, for all nodes of its Cluster. ioredis would use
 * them only for nodes whose host and port the URLs name, and not for nodes that it discovers.
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
  // In a Cluster, this option belongs at the top level. ioredis ignores it inside `redisOptions`.
  enableOfflineQueue: false,
  // Each of these options would send a command again that Redis may have counted already.
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

async function connected(redis: RedisConnection): Promise<void> {
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
