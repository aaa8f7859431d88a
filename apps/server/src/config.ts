import { resolve } from 'node:path';
import { type BanPolicy, defaultBanPolicy as ban } from '@animal-store/contract';
import { z } from 'zod';
import { logFormats, logLevels } from './shared/log-settings.ts';
import { isPostgresUrl } from './shared/postgres-url.ts';
import { parseSentinelUrl } from './shared/sentinel-url.ts';
import { StartupError } from './shared/startup-error.ts';

/** An optional variable. The error says what is expected, never what was given: a password, perhaps. */
function variable(isValid: (text: string) => boolean, expected: string) {
  return z
    .string()
    .refine(isValid, { error: `expected ${expected}` })
    .optional();
}

/** A whole number, or `undefined` if there is none. The error shows the variable with an example. */
function optionalNumber(min: number, max: number, example: number) {
  return z
    .string()
    .refine((text) => /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: ({ path }) =>
        `expected a whole number from ${min} to ${max}, such as ${path?.join('.')}=${example}`,
    })
    .transform(Number)
    .optional();
}

function wholeNumber(min: number, max: number, byDefault: number) {
  return optionalNumber(min, max, byDefault).default(byDefault);
}

function oneOf<const T extends string>(texts: readonly T[]) {
  return z.enum(texts, { error: `expected one of ${texts.join(', ')}` }).optional();
}

const isUrl =
  (...protocols: readonly string[]) =>
  (text: string) =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol);

const isHttpOrigin = (text: string) =>
  isUrl('http:', 'https:')(text) && new URL(text).origin === text;

const splitAtCommas = (text: string) => text.split(',').map((part) => part.trim());

const isSentinelUrl = (text: string) => parseSentinelUrl(text) !== undefined;

/** One URL for a Redis, or for its Sentinels, although that has commas; several for a Cluster. */
const redisUrlsOf = (text: string) => (isSentinelUrl(text) ? [text] : splitAtCommas(text));

const day = 86_400;

/** Whether a text can be an admin token: long enough not to be guessed, and fit for a header. */
export const isAdminToken = (text: string): boolean => /^[\x21-\x7e]{16,256}$/.test(text);

const adminToken = variable(
  isAdminToken,
  '16 to 256 visible ASCII characters, such as the output of: openssl rand -hex 32',
);

const dataDir = variable((text) => !text.includes('\0'), 'a path');

const defaultDataDir = '.data';

const opsPort = wholeNumber(0, 65_535, 3_001);
const defaultHost = '127.0.0.1';

/** The variables of the service. */
const Environment = z.object({
  HOST: variable((text) => /^[\w.:-]+$/.test(text), 'a host name or address'),
  PORT: wholeNumber(0, 65_535, 3_000),
  OPS_HOST: variable((text) => /^[\w.:-]+$/.test(text), 'a host name or address'),
  OPS_PORT: opsPort,
  OPS_HOSTS: variable(
    (text) => splitAtCommas(text).every((name) => /^[\w.-]+$/.test(name)),
    'host names without ports separated by commas, such as ops.internal',
  ),
  ADMIN_TOKEN: adminToken,
  DATABASE_URL: variable(
    isPostgresUrl,
    'postgres://user:password@host/name, several hosts separated by commas, target_session_attrs one of primary, read-write',
  ),
  DATA_DIR: dataDir,
  REDIS_URL: variable(
    (text) => isSentinelUrl(text) || splitAtCommas(text).every(isUrl('redis:', 'rediss:')),
    'redis://user:password@host:port, those of a Cluster separated by commas, or redis+sentinel://host:port,host:port/name',
  ),
  REDIS_TIMEOUT_MS: wholeNumber(10, 60_000, 150),
  REPLICAS: optionalNumber(1, 1_000, 3),
  PUBLIC_URL: variable(isHttpOrigin, 'an origin without a path, such as https://api.example.com'),
  STAGING_URL: variable(isHttpOrigin, 'an origin, such as https://staging.example.com'),
  TRUST_PROXY: wholeNumber(0, 100, 0),
  CORS_ORIGINS: variable(
    (text) => splitAtCommas(text).every(isHttpOrigin),
    'origins separated by commas, such as https://shop.example.com',
  ),
  ADDRESS_PER_MINUTE: wholeNumber(1, 1_000_000, 60),
  BAN_MIN_STRIKES: wholeNumber(0, 1_000_000, ban.minStrikes),
  BAN_STRIKE_PERCENT: wholeNumber(0, 10_000, ban.strikeShare * 100),
  BAN_GRACE_MS: wholeNumber(0, 60_000, ban.graceMs),
  BAN_STRIKE_SECONDS: wholeNumber(1, day, ban.strikeWindowSeconds),
  BAN_SECONDS: wholeNumber(1, day, ban.banSeconds),
  BAN_MAX_SECONDS: wholeNumber(1, day, ban.maxBanSeconds),
  BAN_MEMORY_SECONDS: wholeNumber(1, 7 * day, ban.memorySeconds),
  MAX_IN_FLIGHT: wholeNumber(1, 1_000_000, 5_000),
  MAX_WAIT_MS: wholeNumber(1, 60_000, 250),
  HEADERS_TIMEOUT_MS: wholeNumber(100, 600_000, 10_000),
  REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000, 30_000),
  STALL_TIMEOUT_MS: wholeNumber(100, 600_000, 10_000),
  KEEP_ALIVE_TIMEOUT_MS: wholeNumber(100, 600_000, 65_000),
  MAX_PIPELINED_REQUESTS: wholeNumber(1, 1_000, 8),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 5_000),
  MAX_CONNECTIONS_PER_NETWORK: optionalNumber(0, 1_000_000, 1_000),
  USAGE_FLUSH_MS: wholeNumber(10, 60_000, 4_000),
  USAGE_MINUTES_HOURS: wholeNumber(1, 8_760, 48),
  USAGE_HOURS_DAYS: wholeNumber(1, 3_650, 90),
  USAGE_DAYS_DAYS: wholeNumber(1, 3_650, 400),
  SHUTDOWN_GRACE_MS: wholeNumber(0, 60_000, 0),
  LOG_LEVEL: oneOf(logLevels),
  LOG_FORMAT: oneOf(logFormats),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    isUrl('http:', 'https:'),
    'the URL of a collector, such as http://localhost:4318',
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(
    (text) => /^(?:0|1|0?\.\d{1,9}|1\.0)$/.test(text),
    'a share from 0 to 1, such as OTEL_TRACES_SAMPLER_ARG=0.1',
  ),
  OTEL_BSP_SCHEDULE_DELAY: wholeNumber(1, 600_000, 5_000),
  OTEL_BSP_EXPORT_TIMEOUT: wholeNumber(1, 600_000, 30_000),
  OTEL_BSP_MAX_QUEUE_SIZE: wholeNumber(1, 1_000_000, 2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: wholeNumber(1, 1_000_000, 512),
});

/** The settings of the service. */
const Settings = Environment.transform((env) => ({
  host: env.HOST ?? defaultHost,
  /** 0 for any free port. */
  port: env.PORT,
  opsHost: env.OPS_HOST ?? defaultHost,
  /** 0 for any free port. */
  opsPort: env.OPS_PORT,
  /** The names that the operators' listener may be called by, besides IP addresses and localhost. */
  opsHosts: env.OPS_HOSTS === undefined ? [] : splitAtCommas(env.OPS_HOSTS),
  /** Guards the admin API on `opsPort`; without one there is none there. */
  adminToken: env.ADMIN_TOKEN,
  /** Where the data is: in Postgres, or embedded in a directory. */
  database:
    env.DATABASE_URL === undefined
      ? { kind: 'embedded' as const, dataDir: resolve(env.DATA_DIR ?? defaultDataDir) }
      : { kind: 'postgres' as const, url: env.DATABASE_URL },
  /** Empty for quotas in this process, one URL for a Redis or its Sentinels, several for a Cluster. */
  redisUrls: env.REDIS_URL === undefined ? [] : redisUrlsOf(env.REDIS_URL),
  /** How long a decision of Redis may take before this replica decides by itself. */
  redisTimeoutMs: env.REDIS_TIMEOUT_MS,
  /** How many replicas share each quota while Redis is unavailable; `undefined` to count them. */
  replicas: env.REPLICAS,
  /** The origin that links show; `undefined` for the address that the service listens on. */
  publicUrl: env.PUBLIC_URL,
  /** The staging environment's origin, which the reference names. */
  stagingOrigin: env.STAGING_URL,
  /** How many proxies stand before the service, each adding to `X-Forwarded-For`. */
  trustedProxies: env.TRUST_PROXY,
  /** Origins whose pages may call; `undefined` for any. */
  corsOrigins:
    env.CORS_ORIGINS === undefined ? undefined : new Set(splitAtCommas(env.CORS_ORIGINS)),
  /** Requests per minute from one network without a valid key. */
  addressPerMinute: env.ADDRESS_PER_MINUTE,
  banPolicy: {
    minStrikes: env.BAN_MIN_STRIKES,
    strikeShare: env.BAN_STRIKE_PERCENT / 100,
    graceMs: env.BAN_GRACE_MS,
    strikeWindowSeconds: env.BAN_STRIKE_SECONDS,
    banSeconds: env.BAN_SECONDS,
    maxBanSeconds: env.BAN_MAX_SECONDS,
    memorySeconds: env.BAN_MEMORY_SECONDS,
  } satisfies BanPolicy,
  /** Requests answered at the same time; more wait. */
  maxInFlight: env.MAX_IN_FLIGHT,
  /** How long requests wait for their turn before they get 503. */
  maxWaitMs: env.MAX_WAIT_MS,
  /** Limits of both listeners. */
  listenerLimits: {
    /** How long a caller may take to send its headers. */
    headersTimeoutMs: env.HEADERS_TIMEOUT_MS,
    /** How long a caller may take to send its whole request. */
    requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
    /** How long a connection may be silent during a request. */
    stallTimeoutMs: env.STALL_TIMEOUT_MS,
    /** How long a connection may be silent between requests. */
    keepAliveTimeoutMs: env.KEEP_ALIVE_TIMEOUT_MS,
    /** How many requests of one connection may wait for their responses. */
    maxPipelinedRequests: env.MAX_PIPELINED_REQUESTS,
    maxConnections: env.MAX_CONNECTIONS,
  },
  /** 0 for no limit, as behind a proxy that makes all connections; `undefined` for a share of all. */
  maxConnectionsPerNetwork:
    env.MAX_CONNECTIONS_PER_NETWORK ?? (env.TRUST_PROXY > 0 ? 0 : undefined),
  /** How often counts of requests are written to the database. */
  usageFlushMs: env.USAGE_FLUSH_MS,
  /** How long usage is kept by the minute, by the hour and by the day. */
  usageKeptMs: {
    minutes: env.USAGE_MINUTES_HOURS * 3_600_000,
    hours: env.USAGE_HOURS_DAYS * day * 1_000,
    days: env.USAGE_DAYS_DAYS * day * 1_000,
  },
  /** How long the service goes on after SIGTERM, so that load balancers see that it is not ready. */
  shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
  logLevel: env.LOG_LEVEL ?? 'info',
  /** `undefined` for pretty lines on a terminal and JSON elsewhere. */
  logFormat: env.LOG_FORMAT,
  /** Where traces go, and how; `undefined` for nowhere. */
  traces:
    env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
      ? undefined
      : {
          endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
          /** The share of traces that are recorded, of those that begin here; from 0 to 1. */
          sampleShare: Number(env.OTEL_TRACES_SAMPLER_ARG ?? 1),
          /** Here, because only the SDK's package for applications reads these variables itself. */
          batches: {
            scheduledDelayMillis: env.OTEL_BSP_SCHEDULE_DELAY,
            exportTimeoutMillis: env.OTEL_BSP_EXPORT_TIMEOUT,
            maxQueueSize: env.OTEL_BSP_MAX_QUEUE_SIZE,
            maxExportBatchSize: env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
          },
        },
}));

export type Config = Readonly<z.output<typeof Settings>>;

const CliEnvironment = z.object({
  OPS_URL: variable(isHttpOrigin, 'an origin without a path, such as http://127.0.0.1:3001'),
  OPS_PORT: opsPort,
  ADMIN_TOKEN: adminToken,
  DATA_DIR: dataDir,
});

/** The settings of the CLI. */
const CliSettings = CliEnvironment.transform((env) => ({
  /** Where the operators' listener is; `undefined` for the socket of the server on `dataDir`. */
  opsUrl: env.OPS_URL,
  /** Where it is if only a token is given. */
  ownUrl: `http://127.0.0.1:${env.OPS_PORT}`,
  adminToken: env.ADMIN_TOKEN,
  dataDir: resolve(env.DATA_DIR ?? defaultDataDir),
}));

/** The names of all variables that the service and its CLI read. */
export const environmentVariables: readonly string[] = [
  ...new Set(Object.keys({ ...Environment.shape, ...CliEnvironment.shape })),
];

/**
 * Reads the settings of the service. Only this file looks at the environment.
 *
 * @throws {StartupError} that names every wrong variable, a line each.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  return parse(Settings, environment);
}

/**
 * Reads the settings of the CLI.
 *
 * @throws {StartupError} that names every wrong variable, a line each.
 */
export function readCliSettings(environment: NodeJS.ProcessEnv = process.env) {
  return parse(CliSettings, environment);
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): z.output<Schema> {
  // Treat an empty variable as missing: that is how compose files and shells unset one.
  const given = Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
  const { data, error } = schema.safeParse(given);
  if (error !== undefined) {
    throw new StartupError(
      error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
    );
  }
  return data;
}
