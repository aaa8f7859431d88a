import { type BanPolicy, defaultBanPolicy as ban } from '@animal-store/contract';
import { z } from 'zod';
import {
  type LogFormat,
  type LogLevel,
  logFormats,
  logLevels,
} from './observability/log-settings.ts';
import { StartupError } from './startup-error.ts';

/** What the service is told by its environment. */
export interface Config {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Where the operators' listener is; its port may be 0, too. */
  readonly opsHost: string;
  readonly opsPort: number;
  /** The names that the operators' listener may be called by, besides IP addresses and localhost. */
  readonly opsHosts: readonly string[];
  /** What guards the admin API; `undefined` for one that the embedded default makes itself. */
  readonly adminToken: string | undefined;
  /** Where Postgres is; `undefined` for the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** Where Redis is: none for limits in process, several for a Cluster. */
  readonly redisUrls: readonly string[];
  /** How long a decision of Redis may take before this replica decides by itself. */
  readonly redisTimeoutMs: number;
  /** How many replicas share each limit while Redis is away. */
  readonly replicas: number;
  /** The origin that links show; `undefined` for `http://localhost:PORT`. */
  readonly publicUrl: string | undefined;
  /** The staging environment's origin, which the reference names; `undefined` if there is none. */
  readonly stagingOrigin: string | undefined;
  /** How many proxies stand before the service, each adding to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** Origins whose pages may call; `undefined` for any. */
  readonly corsOrigins: ReadonlySet<string> | undefined;
  /** Requests per minute from one network without a valid key. */
  readonly addressPerMinute: number;
  readonly banPolicy: BanPolicy;
  /** Requests answered at the same time; more are turned away. */
  readonly maxInFlight: number;
  /** How late the event loop may be, on average, before requests are turned away. */
  readonly maxLoopDelayMs: number;
  /** How long a caller may take to send its headers, and its whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How long a connection may be silent during a request, and between requests. */
  readonly stallTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How many requests of one connection may wait for their responses. */
  readonly maxPipelinedRequests: number;
  readonly maxConnections: number;
  /** 0 for no limit. */
  readonly maxConnectionsPerNetwork: number;
  /** How long SIGTERM lets the service go on, so that load balancers see that it is not ready. */
  readonly shutdownGraceMs: number;
  readonly logLevel: LogLevel;
  /** `undefined` to be pretty on a terminal and JSON elsewhere. */
  readonly logFormat: LogFormat | undefined;
  /** Where traces go; `undefined` for nowhere. */
  readonly otlpEndpoint: string | undefined;
  /** The share of traces that are recorded, of those that begin here; from 0 to 1. */
  readonly traceSampleShare: number;
}

/**
 * A variable that may be left out. What is expected of it is said, and never what was given: that
 * may hold a password.
 */
function variable(isValid: (text: string) => boolean, expected: string) {
  return z
    .string()
    .refine(isValid, { error: `expected ${expected}` })
    .optional();
}

function wholeNumber(name: string, min: number, max: number, byDefault: number) {
  return variable(
    (text) => /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max,
    `a whole number from ${min} to ${max}, such as ${name}=${byDefault}`,
  ).transform((text) => (text === undefined ? byDefault : Number(text)));
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

const day = 86_400;

/** Tells whether a text can be an admin token: long enough not to be guessed, and fit for a header. */
export const isAdminToken = (text: string): boolean => /^[\x21-\x7e]{16,256}$/.test(text);

const adminToken = variable(
  isAdminToken,
  '16 to 256 visible ASCII characters, such as the output of: openssl rand -hex 32',
);

const dataDir = variable((text) => !text.includes('\0'), 'a path');

const Environment = z.object({
  HOST: variable((text) => /^[\w.:-]+$/.test(text), 'a host name or address'),
  PORT: wholeNumber('PORT', 0, 65_535, 3_000),
  OPS_HOST: variable((text) => /^[\w.:-]+$/.test(text), 'a host name or address'),
  OPS_PORT: wholeNumber('OPS_PORT', 0, 65_535, 3_001),
  OPS_HOSTS: variable(
    (text) => splitAtCommas(text).every((name) => /^[\w.-]+$/.test(name)),
    'host names without ports separated by commas, such as ops.internal',
  ),
  ADMIN_TOKEN: adminToken,
  DATABASE_URL: variable(isUrl('postgres:', 'postgresql:'), 'postgres://user:password@host/name'),
  DATA_DIR: dataDir,
  REDIS_URL: variable(
    (text) => splitAtCommas(text).every(isUrl('redis:', 'rediss:')),
    'redis://user:password@host:port, or those of a Cluster separated by commas',
  ),
  REDIS_TIMEOUT_MS: wholeNumber('REDIS_TIMEOUT_MS', 10, 60_000, 150),
  REPLICAS: wholeNumber('REPLICAS', 1, 1_000, 1),
  PUBLIC_URL: variable(isHttpOrigin, 'an origin without a path, such as https://api.example.com'),
  STAGING_URL: variable(isHttpOrigin, 'an origin, such as https://staging.example.com'),
  TRUST_PROXY: wholeNumber('TRUST_PROXY', 0, 100, 0),
  CORS_ORIGINS: variable(
    (text) => splitAtCommas(text).every(isHttpOrigin),
    'origins separated by commas, such as https://shop.example.com',
  ),
  ADDRESS_PER_MINUTE: wholeNumber('ADDRESS_PER_MINUTE', 1, 1_000_000, 60),
  BAN_MIN_STRIKES: wholeNumber('BAN_MIN_STRIKES', 0, 1_000_000, ban.minStrikes),
  BAN_STRIKE_PERCENT: wholeNumber('BAN_STRIKE_PERCENT', 0, 10_000, ban.strikeShare * 100),
  BAN_GRACE_MS: wholeNumber('BAN_GRACE_MS', 0, 60_000, ban.graceMs),
  BAN_STRIKE_SECONDS: wholeNumber('BAN_STRIKE_SECONDS', 1, day, ban.strikeWindowSeconds),
  BAN_SECONDS: wholeNumber('BAN_SECONDS', 1, day, ban.banSeconds),
  BAN_MAX_SECONDS: wholeNumber('BAN_MAX_SECONDS', 1, day, ban.maxBanSeconds),
  BAN_MEMORY_SECONDS: wholeNumber('BAN_MEMORY_SECONDS', 1, 7 * day, ban.memorySeconds),
  MAX_IN_FLIGHT: wholeNumber('MAX_IN_FLIGHT', 1, 1_000_000, 5_000),
  MAX_LOOP_DELAY_MS: wholeNumber('MAX_LOOP_DELAY_MS', 1, 60_000, 1_000),
  HEADERS_TIMEOUT_MS: wholeNumber('HEADERS_TIMEOUT_MS', 100, 600_000, 10_000),
  REQUEST_TIMEOUT_MS: wholeNumber('REQUEST_TIMEOUT_MS', 100, 600_000, 30_000),
  STALL_TIMEOUT_MS: wholeNumber('STALL_TIMEOUT_MS', 100, 600_000, 10_000),
  KEEP_ALIVE_TIMEOUT_MS: wholeNumber('KEEP_ALIVE_TIMEOUT_MS', 100, 600_000, 65_000),
  MAX_PIPELINED_REQUESTS: wholeNumber('MAX_PIPELINED_REQUESTS', 1, 1_000, 8),
  MAX_CONNECTIONS: wholeNumber('MAX_CONNECTIONS', 1, 1_000_000, 5_000),
  MAX_CONNECTIONS_PER_NETWORK: wholeNumber('MAX_CONNECTIONS_PER_NETWORK', 0, 1_000_000, 0),
  SHUTDOWN_GRACE_MS: wholeNumber('SHUTDOWN_GRACE_MS', 0, 60_000, 0),
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
});

const CliEnvironment = z.object({
  OPS_URL: variable(isHttpOrigin, 'an origin without a path, such as http://127.0.0.1:3001'),
  ADMIN_TOKEN: adminToken,
  DATA_DIR: dataDir,
});

/** The names of all variables that are read, by the service and by its CLI. */
export const environmentVariables: readonly string[] = [
  ...new Set(Object.keys({ ...Environment.shape, ...CliEnvironment.shape })),
];

const defaultDataDir = '.data';

/**
 * Reads the configuration. Only this file looks at the environment.
 *
 * @throws {StartupError} that names every variable at fault, a line each.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const data = parse(Environment, environment);
  return {
    host: data.HOST ?? '127.0.0.1',
    port: data.PORT,
    opsHost: data.OPS_HOST ?? '127.0.0.1',
    opsPort: data.OPS_PORT,
    opsHosts: data.OPS_HOSTS === undefined ? [] : splitAtCommas(data.OPS_HOSTS),
    adminToken: data.ADMIN_TOKEN,
    databaseUrl: data.DATABASE_URL,
    dataDir: data.DATA_DIR ?? defaultDataDir,
    redisUrls: data.REDIS_URL === undefined ? [] : splitAtCommas(data.REDIS_URL),
    redisTimeoutMs: data.REDIS_TIMEOUT_MS,
    replicas: data.REPLICAS,
    publicUrl: data.PUBLIC_URL,
    stagingOrigin: data.STAGING_URL,
    trustedProxies: data.TRUST_PROXY,
    corsOrigins:
      data.CORS_ORIGINS === undefined ? undefined : new Set(splitAtCommas(data.CORS_ORIGINS)),
    addressPerMinute: data.ADDRESS_PER_MINUTE,
    banPolicy: {
      minStrikes: data.BAN_MIN_STRIKES,
      strikeShare: data.BAN_STRIKE_PERCENT / 100,
      graceMs: data.BAN_GRACE_MS,
      strikeWindowSeconds: data.BAN_STRIKE_SECONDS,
      banSeconds: data.BAN_SECONDS,
      maxBanSeconds: data.BAN_MAX_SECONDS,
      memorySeconds: data.BAN_MEMORY_SECONDS,
    },
    maxInFlight: data.MAX_IN_FLIGHT,
    maxLoopDelayMs: data.MAX_LOOP_DELAY_MS,
    headersTimeoutMs: data.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: data.REQUEST_TIMEOUT_MS,
    stallTimeoutMs: data.STALL_TIMEOUT_MS,
    keepAliveTimeoutMs: data.KEEP_ALIVE_TIMEOUT_MS,
    maxPipelinedRequests: data.MAX_PIPELINED_REQUESTS,
    maxConnections: data.MAX_CONNECTIONS,
    maxConnectionsPerNetwork: data.MAX_CONNECTIONS_PER_NETWORK,
    shutdownGraceMs: data.SHUTDOWN_GRACE_MS,
    logLevel: data.LOG_LEVEL ?? 'info',
    logFormat: data.LOG_FORMAT,
    otlpEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
    traceSampleShare: Number(data.OTEL_TRACES_SAMPLER_ARG ?? 1),
  };
}

/** What the CLI is told by its environment. */
export interface CliSettings {
  /** Where the operators' listener is; `undefined` for that of the server on `dataDir`. */
  readonly opsUrl: string | undefined;
  /** `undefined` for the token that `dataDir` keeps. */
  readonly adminToken: string | undefined;
  readonly dataDir: string;
}

/**
 * Reads the CLI's settings.
 *
 * @throws {StartupError} that names every variable at fault, a line each.
 */
export function readCliSettings(environment: NodeJS.ProcessEnv = process.env): CliSettings {
  const data = parse(CliEnvironment, environment);
  return {
    opsUrl: data.OPS_URL,
    adminToken: data.ADMIN_TOKEN,
    dataDir: data.DATA_DIR ?? defaultDataDir,
  };
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): z.output<Schema> {
  // An empty variable is one left out: that is how compose files and shells unset them.
  const given = Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
  const { data, error } = schema.safeParse(given);
  if (error !== undefined) {
    throw new StartupError(
      error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
    );
  }
  return data;
}
