import { defaultOpsPort, expectedAdminToken, isAdminToken } from '@animal-store/admin-contract';
import { type BanPolicy, defaultBanPolicy as ban } from '@animal-store/contract';
import {
  type EnvironmentReader,
  isHttpOrigin,
  isUrl,
  namesOf,
  ports,
  readDataDir,
  readSettings,
} from '@animal-store/runtime';
import { distance } from 'fastest-levenshtein';
import { logFormats, logLevels, samplers } from './shared/log-settings.ts';
import { parsePostgresUrl } from './shared/postgres-url.ts';
import { parseRedisUrls } from './shared/redis-url.ts';

/** Schemes of URLs that no page has as its origin. */
const schemesWithoutPages = ['ws:', 'wss:', 'ftp:', 'file:'];

/**
 * The origin of a page as a browser sends it; `undefined` if the text is none. Apps and extensions have schemes
 * of their own, such as `capacitor://localhost`, of which `URL` gives no origin. A page of a file has `null`.
 */
function pageOriginOf(text: string): string | undefined {
  if (text === 'null') return text;
  const [, authority = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^\s/?#@,\\]+)$/i.exec(text) ?? [];
  if (authority === '' || !URL.canParse(text)) return undefined;
  const { protocol, host, origin } = new URL(text);
  if (schemesWithoutPages.includes(protocol)) return undefined;
  // Other schemes have no default port.
  return origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin;
}

const splitAtCommas = (text: string) => text.split(',').map((part) => part.trim());

const day = 86_400;

const defaultHost = '127.0.0.1';

const isHost = (text: string) => /^[\w.:-]+$/.test(text);

function serviceSettings(env: EnvironmentReader) {
  const dataDir = readDataDir(env);
  const postgres = env.parsed('DATABASE_URL', (text) => {
    const parsed = parsePostgresUrl(text);
    return typeof parsed === 'string' ? parsed : { url: text, notes: parsed.notes };
  });
  if (postgres !== undefined) {
    // The only variable of libpq that the driver reads whatever it is given.
    env.refuse('PGTARGETSESSIONATTRS', 'write target_session_attrs into DATABASE_URL instead');
  }
  const redis = env.parsed('REDIS_URL', parseRedisUrls);
  const opsHosts = env.text(
    'OPS_HOSTS',
    (text) => splitAtCommas(text).every((name) => /^[\w.-]+$/.test(name)),
    'host names without ports separated by commas, such as ops.internal',
  );
  const corsOrigins = env.text(
    'CORS_ORIGINS',
    (text) => splitAtCommas(text).every((part) => pageOriginOf(part) !== undefined),
    'origins separated by commas, such as https://shop.example.com or capacitor://localhost',
  );
  const trustedProxies = env.number('TRUST_PROXY', [0, 100], 0);
  const tracesUrl = readTracesUrl(env);
  const traces = {
    sampler: env.choice('OTEL_TRACES_SAMPLER', samplers) ?? 'parentbased_traceidratio',
    /** The share of traces that are recorded, of those that begin here; from 0 to 1. */
    sampleShare: Number(
      env.text(
        'OTEL_TRACES_SAMPLER_ARG',
        (text) => /^(?:0|1|0?\.\d{1,9}|1\.0)$/.test(text),
        'a share from 0 to 1, such as OTEL_TRACES_SAMPLER_ARG=0.1',
      ) ?? 1,
    ),
    /** Here, because only the SDK's package for applications reads these variables itself. */
    batches: {
      scheduledDelayMillis: env.number('OTEL_BSP_SCHEDULE_DELAY', [1, 600_000], 5_000),
      exportTimeoutMillis: env.number('OTEL_BSP_EXPORT_TIMEOUT', [1, 600_000], 30_000),
      maxQueueSize: env.number('OTEL_BSP_MAX_QUEUE_SIZE', [1, 1_000_000], 2_048),
      maxExportBatchSize: env.number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', [1, 1_000_000], 512),
    },
  };
  const banSeconds = env.number('BAN_SECONDS', [1, day], ban.banSeconds);
  const maxBanSeconds = env.number('BAN_MAX_SECONDS', [1, day], ban.maxBanSeconds);
  if (banSeconds > maxBanSeconds) {
    env.faults.push(
      `BAN_SECONDS: expected at most BAN_MAX_SECONDS, which is ${maxBanSeconds}; give both`,
    );
  }
  return {
    opsPort: env.number('OPS_PORT', ports, defaultOpsPort),
    /** Guards the admin API on `opsPort`; without one there is none there. */
    adminToken: env.text('ADMIN_TOKEN', isAdminToken, expectedAdminToken),
    host: env.text('HOST', isHost, 'a host name or address') ?? defaultHost,
    port: env.number('PORT', ports, 3_000),
    opsHost: env.text('OPS_HOST', isHost, 'a host name or address') ?? defaultHost,
    /** The names that the operators' listener may be called by, besides IP addresses and localhost. */
    opsHosts: opsHosts === undefined ? [] : splitAtCommas(opsHosts),
    /** Where the data is: in Postgres, or embedded in a directory. */
    database:
      postgres === undefined
        ? { kind: 'embedded' as const, dataDir }
        : { kind: 'postgres' as const, url: postgres.url },
    /** A sentence for each part of a setting that has no effect. */
    notes: [
      ...(postgres?.notes ?? []).map((note) => `DATABASE_URL: ${note}`),
      ...(redis?.notes ?? []).map((note) => `REDIS_URL: ${note}`),
    ],
    /** Empty for quotas in this process, one URL for a Redis or its Sentinels, several for a Cluster. */
    redisUrls: redis?.urls ?? [],
    /** How long a decision of Redis may take before this replica decides by itself. */
    redisTimeoutMs: env.number('REDIS_TIMEOUT_MS', [10, 60_000], 150),
    /** How many replicas share each quota while Redis is unavailable; `undefined` to count them. */
    replicas: env.optionalNumber('REPLICAS', [1, 1_000], 3),
    /** The origin that links show; `undefined` for the address that the service listens on. */
    publicUrl: env.text(
      'PUBLIC_URL',
      isHttpOrigin,
      'an origin without a path, such as https://api.example.com',
    ),
    /** The staging environment's origin, which the reference names. */
    stagingOrigin: env.text(
      'STAGING_URL',
      isHttpOrigin,
      'an origin, such as https://staging.example.com',
    ),
    /** How many proxies stand before the service, each adding to `X-Forwarded-For`. */
    trustedProxies,
    /** Origins whose pages may call; `undefined` for any. */
    corsOrigins:
      corsOrigins === undefined
        ? undefined
        : new Set(splitAtCommas(corsOrigins).map((part) => pageOriginOf(part) ?? part)),
    /** Requests per minute from one network without a valid key. */
    addressPerMinute: env.number('ADDRESS_PER_MINUTE', [1, 1_000_000], 60),
    banPolicy: {
      minStrikes: env.number('BAN_MIN_STRIKES', [0, 1_000_000], ban.minStrikes),
      strikeShare: env.number('BAN_STRIKE_PERCENT', [0, 10_000], ban.strikeShare * 100) / 100,
      graceMs: env.number('BAN_GRACE_MS', [0, 60_000], ban.graceMs),
      strikeWindowSeconds: env.number('BAN_STRIKE_SECONDS', [1, day], ban.strikeWindowSeconds),
      banSeconds,
      maxBanSeconds,
      memorySeconds: env.number('BAN_MEMORY_SECONDS', [1, 7 * day], ban.memorySeconds),
    } satisfies BanPolicy,
    /** Requests answered at the same time; more wait. */
    maxInFlight: env.number('MAX_IN_FLIGHT', [1, 1_000_000], 5_000),
    /** How long requests wait for their turn before they get 503. */
    maxWaitMs: env.number('MAX_WAIT_MS', [1, 60_000], 250),
    /** Limits of both listeners. */
    listenerLimits: {
      headersTimeoutMs: env.number('HEADERS_TIMEOUT_MS', [100, 600_000], 10_000),
      requestTimeoutMs: env.number('REQUEST_TIMEOUT_MS', [100, 600_000], 30_000),
      stallTimeoutMs: env.number('STALL_TIMEOUT_MS', [100, 600_000], 10_000),
      keepAliveTimeoutMs: env.number('KEEP_ALIVE_TIMEOUT_MS', [100, 600_000], 65_000),
      maxPipelinedRequests: env.number('MAX_PIPELINED_REQUESTS', [1, 1_000], 8),
      maxConnections: env.number('MAX_CONNECTIONS', [1, 1_000_000], 5_000),
    },
    /** 0 for no limit, as behind a proxy that makes all connections; `undefined` for a share of all. */
    maxConnectionsPerNetwork:
      env.optionalNumber('MAX_CONNECTIONS_PER_NETWORK', [0, 1_000_000], 1_000) ??
      (trustedProxies > 0 ? 0 : undefined),
    /** How often counts of requests are written to the database. */
    usageFlushMs: env.number('USAGE_FLUSH_MS', [10, 60_000], 4_000),
    /** How long usage is kept by the minute, by the hour and by the day. */
    usageKeptMs: {
      minutes: env.number('USAGE_MINUTES_HOURS', [1, 8_760], 48) * 3_600_000,
      hours: env.number('USAGE_HOURS_DAYS', [1, 3_650], 90) * day * 1_000,
      days: env.number('USAGE_DAYS_DAYS', [1, 3_650], 400) * day * 1_000,
    },
    /** How long the service goes on after SIGTERM, so that load balancers see that it is not ready. */
    shutdownGraceMs: env.number('SHUTDOWN_GRACE_MS', [0, 60_000], 0),
    logLevel: env.choice('LOG_LEVEL', logLevels) ?? 'info',
    /** `undefined` for pretty lines on a terminal and JSON elsewhere. */
    logFormat: env.choice('LOG_FORMAT', logFormats),
    /** Where traces go, and how; `undefined` for nowhere. */
    traces: tracesUrl === undefined ? undefined : { url: tracesUrl, ...traces },
  };
}

/**
 * Where traces go, as the specification of OpenTelemetry says ("Environment Variable Specification", "OTLP
 * Exporter Configuration"): the URL for traces is used as it is, and the general one gets a path.
 *
 * @returns `undefined` for nowhere, which is the default here.
 */
function readTracesUrl(env: EnvironmentReader): string | undefined {
  const expected = 'the URL of a collector, such as http://localhost:4318';
  const isHttp = isUrl('http:', 'https:');
  const base = env.text('OTEL_EXPORTER_OTLP_ENDPOINT', isHttp, expected);
  const own = env.text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', isHttp, `${expected}/v1/traces`);
  const exporter = env.choice('OTEL_TRACES_EXPORTER', ['otlp', 'none']);
  // All other texts mean false, says the specification.
  const isDisabled = env.text('OTEL_SDK_DISABLED', () => true, '')?.toLowerCase() === 'true';
  if (isDisabled || exporter === 'none') return undefined;
  const general = base ?? (exporter === 'otlp' ? 'http://localhost:4318' : undefined);
  return own ?? (general && `${general.replace(/\/$/, '')}/v1/traces`);
}

export type Config = Readonly<ReturnType<typeof serviceSettings>>;

/** The names of all variables that the service reads. */
export const environmentVariables = namesOf(serviceSettings);

/** Variables that others define, and that may resemble ours: those of OpenTelemetry are a standard of their own. */
const foreignNames = /^(?:OTEL_|npm_)/;

/** How many letters of a misspelt name may be wrong, and how long a name must be to be compared at all. */
const maxWrongLetters = 2;
const minComparedLength = 8;

/** A line for each variable whose name looks like a misspelt one of ours: it would be ignored otherwise. */
function misspeltNames(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (environmentVariables.includes(name) || foreignNames.test(name)) return [];
    if (name.length < minComparedLength) return [];
    const written = name.toUpperCase().replaceAll('-', '_');
    const meant = environmentVariables.find(
      (known) => known.length >= minComparedLength && distance(known, written) <= maxWrongLetters,
    );
    return meant === undefined ? [] : [`${name}: unknown. Write ${meant}, or unset ${name}`];
  });
}

/**
 * Reads the settings of the service. Only this file looks at the environment.
 *
 * @throws {StartupError} that names every wrong variable, a line each.
 */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(serviceSettings, environment, misspeltNames(environment));
