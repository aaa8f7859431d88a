import { isIP } from 'node:net';
import { expectedAdminToken, isAdminToken } from '@animal-store/admin-contract';
import { defaultHttpSettings as http } from '@animal-store/http-server/http-settings';
import {
  logFormats,
  logLevels,
  defaultObservabilitySettings as observability,
  samplers,
} from '@animal-store/observability/observability-settings';
import { parsePostgresUrl } from '@animal-store/postgres/postgres-url';
import { parseRedisUrls } from '@animal-store/quotas/redis-url';
import {
  type EnvironmentReader,
  isUrl,
  namesOf,
  ports,
  readDataDir,
  readSettings,
} from '@animal-store/runtime';
import { distance } from 'fastest-levenshtein';
import { defaultApiSettings as api } from './api/api-settings.ts';
import { defaultOpsSettings as ops } from './ops/ops-settings.ts';
import { defaultQuotaSettings as quotas } from './quotas/quota-settings.ts';
import { defaultUsageSettings as usage } from './usage/usage-settings.ts';

const { banPolicy: ban } = quotas;

/** The URL schemes that cannot be the origin of a web page. */
const schemesWithoutPages = ['ws:', 'wss:', 'ftp:', 'file:'];

/**
 * Returns the origin of a web page as a browser sends it, or `undefined` if the text is not an
 * origin. Apps and browser extensions have schemes of their own, such as `capacitor://localhost`,
 * for which `URL` returns no origin. A page from a file has the origin `null`.
 */
function pageOriginOf(text: string): string | undefined {
  if (text === 'null') return text;
  const [, authority = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^\s/?#@,*\\]+)$/i.exec(text) ?? [];
  if (authority === '' || !URL.canParse(text)) return undefined;
  const { protocol, host, origin } = new URL(text);
  if (schemesWithoutPages.includes(protocol)) return undefined;
  // `URL` returns an origin only for schemes that it knows, and removes their default port. Other
  // schemes have no default port to remove.
  return origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin;
}

const splitAtCommas = (text: string) => text.split(',').map((part) => part.trim());

const day = 86_400;
const dayMs = day * 1_000;
const hourMs = 3_600_000;

const isHost = (text: string) => isIP(text) !== 0 || /^\w[\w.-]*$/.test(text);

function serviceSettings(env: EnvironmentReader) {
  const dataDir = readDataDir(env);
  const postgres = env.parsed('DATABASE_URL', (text) => {
    const parsed = parsePostgresUrl(text);
    return typeof parsed === 'string' ? parsed : { url: text, notes: parsed.notes };
  });
  if (postgres !== undefined) {
    // The Postgres driver always reads PGTARGETSESSIONATTRS, even if a URL is given. So the
    // variable is refused. The driver reads no other environment variable of libpq.
    env.refuse('PGTARGETSESSIONATTRS', 'write target_session_attrs into DATABASE_URL instead');
  }
  const redis = env.parsed('REDIS_URL', parseRedisUrls);
  const opsHosts = env.text(
    'OPS_HOSTS',
    (text) => splitAtCommas(text).every((name) => /^[\w.-]+$/.test(name)),
    'host names without ports, separated by commas, such as ops.internal',
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
    /**
     * The fraction of traces that are recorded, from 0 to 1. It applies only to traces that begin
     * in this service.
     */
    sampleShare: Number(
      env.text(
        'OTEL_TRACES_SAMPLER_ARG',
        (text) => /^(?:0|1|0?\.\d{1,9}|1\.0)$/.test(text),
        'a fraction from 0 to 1, such as OTEL_TRACES_SAMPLER_ARG=0.1',
      ) ?? 1,
    ),
    /**
     * The settings for sending spans in batches. The service reads these variables itself.
     * OpenTelemetry reads them only in its SDK package for applications, and the service does not
     * use that package.
     */
    batches: {
      scheduledDelayMillis: env.number('OTEL_BSP_SCHEDULE_DELAY', [1, 600_000], 5_000),
      exportTimeoutMillis: env.number('OTEL_BSP_EXPORT_TIMEOUT', [1, 600_000], 30_000),
      maxQueueSize: env.number('OTEL_BSP_MAX_QUEUE_SIZE', [1, 1_000_000], 2_048),
      maxExportBatchSize: env.number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', [1, 1_000_000], 512),
    },
  };
  const host = env.text('HOST', isHost, 'a host name or address') ?? http.host;
  const port = env.number('PORT', ports, http.port);
  const opsHost = env.text('OPS_HOST', isHost, 'a host name or address') ?? ops.host;
  const opsPort = env.number('OPS_PORT', ports, ops.port);
  if (port === opsPort && port !== 0 && host === opsHost) {
    env.faults.push(`OPS_PORT: expected a port other than PORT, which is ${port}`);
  }
  const banSeconds = env.number('BAN_SECONDS', [1, day], ban.banSeconds);
  const maxBanSeconds = env.number('BAN_MAX_SECONDS', [1, day], ban.maxBanSeconds);
  if (banSeconds > maxBanSeconds) {
    env.faults.push(
      `BAN_SECONDS: expected at most BAN_MAX_SECONDS, which is ${maxBanSeconds}. Lower BAN_SECONDS or raise BAN_MAX_SECONDS`,
    );
  }
  return {
    http: {
      host,
      port,
      headersTimeoutMs: env.number('HEADERS_TIMEOUT_MS', [100, 600_000], http.headersTimeoutMs),
      requestTimeoutMs: env.number('REQUEST_TIMEOUT_MS', [100, 600_000], http.requestTimeoutMs),
      stallTimeoutMs: env.number('STALL_TIMEOUT_MS', [100, 600_000], http.stallTimeoutMs),
      keepAliveTimeoutMs: env.number(
        'KEEP_ALIVE_TIMEOUT_MS',
        // Some proxies keep idle connections for ten minutes or more, and the service must keep them
        // longer.
        [100, 3_600_000],
        http.keepAliveTimeoutMs,
      ),
      maxPipelinedRequests: env.number(
        'MAX_PIPELINED_REQUESTS',
        [1, 1_000],
        http.maxPipelinedRequests,
      ),
      maxConnections: env.number('MAX_CONNECTIONS', [1, 1_000_000], http.maxConnections),
      maxConnectionsPerNetwork:
        env.optionalNumber('MAX_CONNECTIONS_PER_NETWORK', [0, 1_000_000], 1_000) ??
        (trustedProxies > 0 ? 0 : http.maxConnectionsPerNetwork),
    },
    api: {
      publicUrl: env.origin(
        'PUBLIC_URL',
        'an origin without a path, such as https://api.example.com',
      ),
      stagingOrigin: env.origin('STAGING_URL', 'an origin, such as https://staging.example.com'),
      corsOrigins:
        corsOrigins === undefined
          ? undefined
          : new Set(splitAtCommas(corsOrigins).map((part) => pageOriginOf(part) ?? part)),
      trustedProxies,
      maxInFlight: env.number('MAX_IN_FLIGHT', [1, 1_000_000], api.maxInFlight),
      maxWaitMs: env.number('MAX_WAIT_MS', [1, 60_000], api.maxWaitMs),
    },
    ops: {
      host: opsHost,
      port: opsPort,
      hosts: opsHosts === undefined ? ops.hosts : splitAtCommas(opsHosts),
      adminToken: env.text('ADMIN_TOKEN', isAdminToken, expectedAdminToken),
    },
    database: {
      place:
        postgres === undefined
          ? ({ kind: 'embedded', dataDir } as const)
          : ({ kind: 'postgres', url: postgres.url } as const),
    },
    quotas: {
      redis: redis?.urls ?? quotas.redis,
      timeoutMs: env.number('REDIS_TIMEOUT_MS', [10, 60_000], 150),
      addressPerMinute: env.number('ADDRESS_PER_MINUTE', [1, 1_000_000], quotas.addressPerMinute),
      banPolicy: {
        minStrikes: env.number('BAN_MIN_STRIKES', [0, 1_000_000], ban.minStrikes),
        strikeShare: env.number('BAN_STRIKE_PERCENT', [0, 10_000], ban.strikeShare * 100) / 100,
        graceMs: env.number('BAN_GRACE_MS', [0, 60_000], ban.graceMs),
        strikeWindowSeconds: env.number('BAN_STRIKE_SECONDS', [1, day], ban.strikeWindowSeconds),
        banSeconds,
        maxBanSeconds,
        memorySeconds: env.number('BAN_MEMORY_SECONDS', [1, 7 * day], ban.memorySeconds),
      },
    },
    /**
     * The number of replicas of the service that share each quota while Redis is unavailable.
     * `undefined` means that the service counts its replicas.
     */
    replicas: env.optionalNumber('REPLICAS', [1, 1_000], 3),
    usage: {
      flushMs: env.number('USAGE_FLUSH_MS', [10, 60_000], usage.flushMs),
      keptMs: {
        minutes:
          env.number('USAGE_MINUTES_HOURS', [1, 8_760], usage.keptMs.minutes / hourMs) * hourMs,
        hours: env.number('USAGE_HOURS_DAYS', [1, 3_650], usage.keptMs.hours / dayMs) * dayMs,
        days: env.number('USAGE_DAYS_DAYS', [1, 3_650], usage.keptMs.days / dayMs) * dayMs,
      },
    },
    observability: {
      logLevel: env.choice('LOG_LEVEL', logLevels) ?? observability.logLevel,
      logFormat: env.choice('LOG_FORMAT', logFormats),
      slowRequestMs: env.number('SLOW_REQUEST_MS', [0, 3_600_000], observability.slowRequestMs),
      traces: tracesUrl === undefined ? undefined : { url: tracesUrl, ...traces },
    },
    /**
     * The time for which the service continues to serve after SIGTERM, so that load balancers
     * notice that it is not ready.
     */
    shutdownGraceMs: env.number('SHUTDOWN_GRACE_MS', [0, 60_000], 0),
    /** Warnings about parts of settings that have no effect, one sentence each. */
    notes: [
      ...(postgres?.notes ?? []).map((note) => `DATABASE_URL: ${note}`),
      ...(redis?.notes ?? []).map((note) => `REDIS_URL: ${note}`),
    ],
  };
}

/**
 * Reads the URL to which traces are sent, as OpenTelemetry specifies it ("Environment Variable
 * Specification", "OTLP Exporter Configuration"). The URL in `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`
 * is used unchanged. A path is added to the URL in `OTEL_EXPORTER_OTLP_ENDPOINT`.
 *
 * @returns `undefined` if no traces are sent. By default, the service sends none.
 */
function readTracesUrl(env: EnvironmentReader): string | undefined {
  const expected = 'the URL of a collector, such as http://localhost:4318';
  const isHttp = isUrl('http:', 'https:');
  // The service appends a path to this URL, so the URL must not have a query or a fragment.
  const isBase = (text: string) => isHttp(text) && !/[?#]/.test(text);
  const base = env.text('OTEL_EXPORTER_OTLP_ENDPOINT', isBase, expected);
  const own = env.text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', isHttp, `${expected}/v1/traces`);
  const exporter = env.choice('OTEL_TRACES_EXPORTER', ['otlp', 'none']);
  // In the specification of OpenTelemetry, all texts other than `true` mean false.
  const isDisabled = env.text('OTEL_SDK_DISABLED', () => true, '')?.toLowerCase() === 'true';
  const protocols = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].map(
    (name) => ({ name, text: env.text(name, () => true, '') }),
  );
  if (isDisabled || exporter === 'none') return undefined;
  const protocol = protocols.find(({ text }) => text !== undefined);
  // gRPC is refused, because the service sends HTTP. A port that expects gRPC would not accept the
  // spans, so all of them would be lost.
  if ((base ?? own ?? exporter) !== undefined && protocol?.text === 'grpc') {
    env.faults.push(
      `${protocol.name}: expected http/json, because the service sends traces over HTTP. Use the port of the collector for HTTP (4318)`,
    );
  }
  const general = base ?? (exporter === 'otlp' ? 'http://localhost:4318' : undefined);
  return own ?? (general && `${general.replace(/\/$/, '')}/v1/traces`);
}

/** The settings of the process and of each part of the service. */
export type Config = Readonly<ReturnType<typeof serviceSettings>>;

/** The names of all environment variables that the service reads. */
export const environmentVariables = namesOf(serviceSettings);

/**
 * Matches the variables of OpenTelemetry and npm, which may resemble a variable of this service but
 * are not misspelt.
 */
const foreignNames = /^(?:OTEL_|npm_)/;

/** The length from which a name with two wrong letters still counts as a misspelt variable. */
const minLengthForTwoErrors = 9;
/**
 * Only names of at least this length are compared letter by letter, because many short names are
 * similar. A name of exactly this length may have one wrong letter, or two swapped letters. With two
 * wrong letters, `DATA_URL` would count as `DATA_DIR`.
 */
const minComparedLength = 8;
/**
 * The first word of a name is often the name of another program. Kubernetes sets `POS_PORT` if there
 * is a Service named `pos`. So only a first word of at least this length may have one wrong letter,
 * or two swapped letters.
 */
const minComparedFirstWord = 4;

const letters = (name: string) => name.replaceAll('_', '');

function isMisspelt(known: string, written: string): boolean {
  if (known.includes('_') && letters(known) === letters(written)) return true;
  const length = Math.min(known.length, written.length);
  const maxWrongLetters = length < minLengthForTwoErrors ? 1 : 2;
  if (length < minComparedLength || !isSameProgram(known, written)) return false;
  return isSwapped(known, written) || distance(known, written) <= maxWrongLetters;
}

function isSameProgram(known: string, written: string): boolean {
  const [one = '', other = ''] = [known, written].map((name) => name.split('_')[0]);
  if (one === other) return true;
  if (one.length < minComparedFirstWord) return false;
  return isSwapped(one, other) || distance(one, other) === 1;
}

/**
 * Returns whether two neighboring letters are swapped, such as in `DATA_DRI`. `distance` counts them
 * as two wrong letters.
 */
function isSwapped(known: string, written: string): boolean {
  const at = [...known].findIndex((letter, index) => letter !== written[index]);
  const swapped = `${written[at + 1]}${written[at]}`;
  return known === written.slice(0, at) + swapped + written.slice(at + 2);
}

/**
 * Returns an error line for each variable that looks like a misspelt variable of the service.
 * Without this check, the service would ignore the variable and use the default value.
 */
function misspeltNames(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (environmentVariables.includes(name) || foreignNames.test(name)) return [];
    const written = name.toUpperCase().replaceAll('-', '_');
    const [meant] = environmentVariables
      .filter((known) => isMisspelt(known, written))
      .toSorted((one, other) => distance(one, written) - distance(other, written));
    return meant === undefined ? [] : [`${name}: unknown variable. Use ${meant} or unset ${name}`];
  });
}

/**
 * Reads the settings of the service from environment variables. No other file reads environment
 * variables.
 *
 * @throws {StartupError} if variables are invalid. The message names all of them, one line each.
 */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(serviceSettings, environment, misspeltNames(environment));
