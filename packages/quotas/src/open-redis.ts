import { readFileSync } from 'node:fs';
import { type TimeLimit, waitAtMost } from '@animal-store/runtime';
import { Cluster, Redis } from 'ioredis';
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

/**
 * Returns the time until the connection to a lost Sentinel is opened again. The time grows, because
 * ioredis without the patch of this repository prints an error for each failed attempt.
 */
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
    : source.duplicate({ ...connection, scripts });
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

const isRefusedDatabase = (error: unknown) =>
  error instanceof Error &&
  (error as Error & { command?: { name?: string } }).command?.name === 'select';

/** Matches the errors that Redis and Sentinels return for a wrong user or password. */
const isRefusedLogin = (message: string) => /^(?:WRONGPASS|NOAUTH) /.test(message);

/**
 * Matches the errors that Redis returns for a command that it does not know, or that the user is
 * not allowed to run.
 */
const isRefusedCommand = (message: string) =>
  /^NOPERM |can't run this command|unknown (?:redis )?command/i.test(message);

/** Matches the codes of the errors of Node for a certificate that this process does not accept. */
const certificateCode = /^(?:ERR_TLS_CERT|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_)/;

/**
 * Watches a connection for refusals that retries do not fix: Redis refuses the database, the user,
 * the password or a command, the Sentinels refuse their password or a command or do not know the
 * primary, or this process does not accept the certificate of Redis.
 *
 * @returns four members. `sentence` returns the message for operators, or `undefined` if nothing is
 *   refused now. `startFault` returns the same message, unless the reason is a certificate. With an
 *   expired certificate, a service must still start, like with a Redis that is down. `first`
 *   resolves at the first refusal, so that the start of the service does not wait for a connection
 *   that can never become ready. `watchProbe` runs a probe, which may find that Redis refuses a
 *   command.
 */
export function watchForRefusal(redis: RedisConnection) {
  const first = Promise.withResolvers<void>();
  let refusal: string | undefined;
  let certificateFault: string | undefined;
  function readRefusal(error: Error & { lastNodeError?: Error }): void {
    const { message, code = '' } = (error.lastNodeError ?? error) as Error & { code?: string };
    // ioredis puts the response of the last Sentinel into the message of its own error.
    const [, fromSentinel] =
      /^All sentinels are unreachable.* Last error: (.*)/.exec(message) ?? [];
    if (isRefusedDatabase(error)) {
      refusal = `Redis refuses the number of the database (${message}). Use a smaller number as the path of the URL, or increase Redis's setting databases`;
    } else if (fromSentinel !== undefined) {
      refusal = describeSentinelRefusal(fromSentinel) ?? refusal;
    } else if (isRefusedLogin(message)) {
      refusal = `Redis refuses the user or the password (${message})`;
    } else if (isRefusedCommand(message)) {
      refusal = describeRefusedCommand(message);
    } else if (certificateCode.test(code)) {
      certificateFault = `The certificate of Redis is not accepted (${message})`;
    }
    if (refusal !== undefined) first.resolve();
  }
  redis.on('error', readRefusal);
  // Before a Cluster is ready, ioredis sends CLUSTER INFO. If Redis refuses this command, ioredis
  // connects again and again, and reports no error. So the command is sent once more.
  if (isCluster(redis)) redis.on('connect', () => void redis.cluster('INFO').catch(readRefusal));
  redis.on('ready', () => {
    refusal = undefined;
    certificateFault = undefined;
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
  return {
    sentence: () => refusal ?? certificateFault,
    startFault: () => refusal,
    first: first.promise,
    watchProbe,
  };
}

/**
 * Returns the message for operators about a response of a Sentinel, or `undefined` if the response
 * is not a refusal that retries do not fix.
 */
function describeSentinelRefusal(response: string): string | undefined {
  if (isRefusedLogin(response)) {
    return `The Sentinels refuse the password (${response}). Write it into the URL as ?sentinelPassword=…`;
  }
  if (response.includes('No such master')) {
    return `The Sentinels do not know the name of the primary (${response}). Use the name in their configuration as the path of the URL`;
  }
  if (isRefusedCommand(response)) {
    return `The Sentinels refuse a command (${withoutArguments(response)}). Use the port of the Sentinels in the URL, by default 26379, and allow their user the commands sentinel and subscribe`;
  }
  return undefined;
}

const describeRefusedCommand = (message: string) =>
  `Redis refuses a command that the limits need (${withoutArguments(message)}). Allow the command for the user: see "Least rights" in docs/operating.md`;

/**
 * Cuts an error message off before the arguments of the command. If Redis does not know a command, it
 * repeats the arguments, and they do not belong in a log.
 */
const withoutArguments = (message: string) => message.split(', with args')[0];

/**
 * Watches whether Redis evicts data when its memory is full, and warns once if it does. The counts
 * under an evicted Redis key begin again at 0. A Redis that does not report its settings is not
 * checked.
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
        `Redis evicts data when its memory is full (maxmemory-policy ${policy}). An evicted request count would start again at 0. Set maxmemory-policy to noeviction`,
      );
    }
  }
  const start = () => void check().catch(() => {});
  redis.on('ready', start);
  if (redis.status === 'ready') start();
}

/**
 * Watches a connection for the reason of an outage. While the connection is down, each command
 * fails with an error that only mentions options of ioredis. The last error of the connection
 * contains the real reason.
 *
 * @returns a function that receives the error of a command, and returns the real reason.
 */
export function watchForReason(redis: RedisConnection): (failure: unknown) => unknown {
  let lastError: unknown;
  redis.on('error', (error: Error & { lastNodeError?: unknown }) => {
    // A ClusterAllFailedError contains the error of the last node as `lastNodeError`.
    lastError = error.lastNodeError ?? error;
  });
  redis.on('ready', () => {
    lastError = undefined;
  });
  return (failure) => {
    // A socket may have ended before ioredis has noticed it.
    const isEnded = failure instanceof Error && failure.message.includes('enableOfflineQueue');
    if (redis.status === 'ready' && !isEnded) return failure;
    return lastError ?? new Error('The connection to Redis was lost.', { cause: failure });
  };
}

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
    scripts: readScripts(),
    ...(isTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}

function createCluster(urls: readonly string[], connection: Connection): Cluster {
  const redisOptions = { ...connection, ...accessOf(urls[0]) };
  // ioredis would use the parameters of a URL as options of its node, instead of `redisOptions`.
  const nodes = urls.map((url) => url.replace(/\?.*$/, ''));
  return new Cluster(nodes, {
    ...clusterOptions(connection),
    redisOptions,
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
