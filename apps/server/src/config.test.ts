import { resolve } from 'node:path';
import { defaultHttpSettings } from '@animal-store/http-server';
import { defaultObservabilitySettings } from '@animal-store/observability/observability-settings';
import { defaultPlace } from '@animal-store/postgres';
import { StartupError } from '@animal-store/runtime';
import { expect, test } from 'vitest';
import { defaultApiSettings } from './api/api-settings.ts';
import { environmentVariables, readConfig } from './config.ts';
import { defaultOpsSettings } from './ops/ops-settings.ts';
import { defaultQuotaSettings } from './quotas/quota-settings.ts';
import { defaultUsageSettings } from './usage/usage-settings.ts';

/** Returns the lines of the error message for an environment with faults. */
function faults(environment: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError);
    return (error as StartupError).message.split('\n');
  }
  return [];
}

test('when the environment has no settings, readConfig chooses the embedded database, and a loopback address for the listeners', () => {
  expect(readConfig({})).toMatchObject({
    http: { host: '127.0.0.1', port: 3_000 },
    api: { publicUrl: undefined, trustedProxies: 0, corsOrigins: undefined },
    database: { place: { kind: 'embedded', dataDir: resolve('.data') } },
    quotas: {
      redis: [],
      timeoutMs: 150,
      addressPerMinute: 60,
      banPolicy: {
        ...{ minStrikes: 10, strikeShare: 0.5, graceMs: 1_000, strikeWindowSeconds: 60 },
        ...{ banSeconds: 300, maxBanSeconds: 3_600, memorySeconds: 86_400 },
      },
    },
  });
  // Empty and unrelated variables do not change the settings.
  const empty = Object.fromEntries(environmentVariables.map((name) => [name, '']));
  expect(readConfig({ ...empty, PATH: '/bin', PORTS: 'x', port: 'x' })).toEqual(readConfig({}));
});

test('readConfig returns the default values of each part of the service when the environment has no settings', () => {
  const { http, api, ops, database, quotas, usage, observability } = readConfig({});
  expect({ ...defaultHttpSettings, ...http }).toEqual(defaultHttpSettings);
  expect(api).toEqual(defaultApiSettings);
  expect({ ...defaultOpsSettings, ...ops }).toEqual(defaultOpsSettings);
  expect(database.place).toEqual(defaultPlace);
  expect(quotas).toEqual({ ...defaultQuotaSettings, timeoutMs: 150 });
  expect({ ...defaultUsageSettings, ...usage }).toEqual(defaultUsageSettings);
  const byDefault = defaultObservabilitySettings;
  expect({ ...byDefault, ...observability }).toEqual(byDefault);
});

test('readConfig returns the value of every environment variable in the matching setting', () => {
  const url = 'postgresql://user:p%40ss@db:5433/animals?sslmode=require';
  const config = readConfig({
    HOST: '::1',
    PORT: '0',
    DATABASE_URL: url,
    REDIS_URL: 'redis://a:6379, redis://b',
    PUBLIC_URL: 'https://api.example.com',
    TRUST_PROXY: '2',
    CORS_ORIGINS: 'https://shop.example.com, http://localhost:5173',
  });
  expect(config).toMatchObject({
    http: { host: '::1', port: 0 },
    api: {
      publicUrl: 'https://api.example.com',
      trustedProxies: 2,
      corsOrigins: new Set(['https://shop.example.com', 'http://localhost:5173']),
    },
    database: { place: { kind: 'postgres', url } },
    quotas: { redis: ['redis://a:6379', 'redis://b'] },
  });
  // A URL with several Sentinels counts as a single URL, although it contains commas.
  const REDIS_URL = 'redis+sentinel://a:26379,b:26379/mymaster';
  expect(readConfig({ REDIS_URL }).quotas.redis).toEqual([REDIS_URL]);
});

test.each([
  ['a share of all connections by default', {}, undefined],
  ['all connections behind a proxy, which opens all of them', { TRUST_PROXY: '1' }, 0],
  [
    'unlimited connections when MAX_CONNECTIONS_PER_NETWORK is 0',
    { MAX_CONNECTIONS_PER_NETWORK: '0' },
    0,
  ],
  [
    'MAX_CONNECTIONS_PER_NETWORK connections behind a proxy',
    { MAX_CONNECTIONS_PER_NETWORK: '3', TRUST_PROXY: '1' },
    3,
  ],
])(
  'readConfig sets how many connections one network may open: it allows %s',
  (_, environment, expected) => {
    expect(readConfig(environment).http.maxConnectionsPerNetwork).toBe(expected);
  },
);

test.each([
  ['PORT', ['65536', '-1', '+1', '1.5', '1e3', '0x50', ' 80', '80 ', '٣', 'http', '1'.repeat(40)]],
  ['HOST', ['a b', 'http://localhost', '[::1]', 'a/b', '*', 'a\nb', 'localhost:80', ':', '-']],
  // The tests in `postgres-url.test.ts` cover the other faults of a URL in DATABASE_URL.
  ['DATABASE_URL', ['animals', 'db:5432/animals']],
  [
    'REDIS_URL',
    [
      ...['localhost:6379', 'http://redis', 'redis://a,', 'redis://a redis://b'],
      ...['redis+sentinel://a,b', 'redis+sentinel://a/m,redis+sentinel://b/m'],
    ],
  ],
  ['DATA_DIR', [' ', '/data ', '~', '~/.data', '$HOME/.data', 'a\nb']],
  ['PUBLIC_URL', ["https://a'b", 'https://a$(b)', 'https://a;b', 'https://a.b ']],
  ['PUBLIC_URL', ['api.example.com', 'https://api.example.com/v1', 'ftp://x', 'https://a@b.c']],
  ['TRUST_PROXY', ['true', '-1', '101', '127.0.0.1']],
  [
    'CORS_ORIGINS',
    [
      ...['*', 'shop.example.com', 'https://a.example,', 'https://a.example/'],
      ...[
        'https://*.a.example',
        'file:///a',
        'wss://a',
        'capacitor://',
        'chrome-extension://a/b',
        'https://u@a.example',
      ],
    ],
  ],
  ['OTEL_TRACES_EXPORTER', ['zipkin', 'otlp,console']],
  ['OTEL_TRACES_SAMPLER', ['jaeger_remote', 'ALWAYS_ON']],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['localhost:4318', ' http://a']],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', ['http://a/?b', 'http://a#b', 'http://a\n']],
  ['ADDRESS_PER_MINUTE', ['0', '-60', '60/min']],
  ['ADMIN_TOKEN', ['too-short', `${'x'.repeat(16)}é`]],
  ['BAN_SECONDS', ['0', '5m', '86401', '3601']],
  ['BAN_MAX_SECONDS', ['0', '1h', '86401']],
])('readConfig reports an invalid value of %s and names the variable', (name, values) => {
  for (const value of values) {
    expect(faults({ [name]: value }), value).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected \\S`)),
    ]);
  }
});

test('readConfig reports all invalid variables in one error, one line each, without their values', () => {
  const secret = 'h*nter2 secret';
  const all = Object.fromEntries(environmentVariables.map((name) => [name, secret]));
  const lines = faults(all);
  // The error names all variables but four, because these four accept the value of this test.
  // DATA_DIR accepts nearly any text, OTEL_SDK_DISABLED treats any other text as false, and the two
  // variables for the protocol of traces refuse only gRPC.
  expect(lines).toHaveLength(environmentVariables.length - 4);
  expect(lines.join('\n')).not.toContain('nter2');
});

test('readConfig returns a note about each parameter of DATABASE_URL that has no effect, and an error that names a forbidden parameter', () => {
  const url = 'postgres://u:secret@db/name';
  const DATABASE_URL = `${url}?channel_binding=require&keepalives=1`;
  expect(readConfig({ DATABASE_URL }).notes).toEqual([
    expect.stringMatching(/^DATABASE_URL: channel_binding is ignored \(/),
    expect.stringMatching(/^DATABASE_URL: keepalives is ignored \(/),
  ]);
  expect(faults({ DATABASE_URL: `${url}?statement_timeout=0` })).toEqual([
    expect.stringMatching(/^DATABASE_URL: statement_timeout: refused \(/),
  ]);
});

test('readConfig refuses the environment variable PGTARGETSESSIONATTRS if DATABASE_URL is set, because the Postgres driver would use both', () => {
  const PGTARGETSESSIONATTRS = 'standby';
  expect(faults({ PGTARGETSESSIONATTRS })).toEqual([]);
  expect(faults({ DATABASE_URL: 'postgres://u@db/name', PGTARGETSESSIONATTRS })).toEqual([
    'PGTARGETSESSIONATTRS: write target_session_attrs into DATABASE_URL instead',
  ]);
});

test('readConfig accepts and normalizes every origin in CORS_ORIGINS that a browser can send', () => {
  const CORS_ORIGINS = [
    ...['HTTPS://Shop.example.com:443', 'http://localhost:5173', 'capacitor://localhost'],
    ...[
      'chrome-extension://abcdefghijklmnop',
      'moz-extension://0aF1-22',
      'null',
      'http://[::1]:80',
    ],
  ].join(', ');
  expect([...(readConfig({ CORS_ORIGINS }).api.corsOrigins ?? [])]).toEqual([
    ...['https://shop.example.com', 'http://localhost:5173', 'capacitor://localhost'],
    ...['chrome-extension://abcdefghijklmnop', 'moz-extension://0af1-22', 'null', 'http://[::1]'],
  ]);
});

test('readConfig refuses BAN_SECONDS above BAN_MAX_SECONDS, and the message contains the maximum', () => {
  const message =
    'BAN_SECONDS: expected at most BAN_MAX_SECONDS, which is 60. Lower BAN_SECONDS or raise BAN_MAX_SECONDS';
  expect(faults({ BAN_MAX_SECONDS: '60' })).toEqual([message]);
  expect(faults({ BAN_SECONDS: '61', BAN_MAX_SECONDS: '60' })).toEqual([message]);
  expect(faults({ BAN_SECONDS: '60', BAN_MAX_SECONDS: '60' })).toEqual([]);
});

// Regression: the maximum was 600 s, but a proxy that keeps idle connections for ten minutes needs a
// longer timeout of the service.
test('readConfig accepts a KEEP_ALIVE_TIMEOUT_MS of up to an hour', () => {
  expect(faults({ KEEP_ALIVE_TIMEOUT_MS: '3600000' })).toEqual([]);
  expect(faults({ KEEP_ALIVE_TIMEOUT_MS: '3600001' })).toHaveLength(1);
});

const collector = 'http://collector:4318';

test.each([
  ['to no collector by default', {}, undefined],
  [
    'to OTEL_EXPORTER_OTLP_ENDPOINT with the path for traces added',
    { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/` },
    `${collector}/v1/traces`,
  ],
  [
    'to OTEL_EXPORTER_OTLP_TRACES_ENDPOINT without an added path',
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/in',
    },
    'https://traces/in',
  ],
  [
    'to localhost if only the exporter is named',
    { OTEL_TRACES_EXPORTER: 'otlp' },
    'http://localhost:4318/v1/traces',
  ],
  [
    'to no collector if the exporter is "none"',
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_TRACES_EXPORTER: 'none' },
    undefined,
  ],
  [
    'to no collector if OTEL_SDK_DISABLED is true',
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_SDK_DISABLED: 'TRUE' },
    undefined,
  ],
  [
    'to the collector if OTEL_SDK_DISABLED is another word than true',
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_SDK_DISABLED: '1' },
    `${collector}/v1/traces`,
  ],
])('readConfig decides where the service sends its traces: %s', (_, environment, url) => {
  expect(readConfig(environment).observability.traces?.url).toBe(url);
});

test('readConfig refuses gRPC as the protocol of traces, because the service sends traces over HTTP', () => {
  const OTEL_EXPORTER_OTLP_PROTOCOL = 'grpc';
  expect(faults({ OTEL_EXPORTER_OTLP_PROTOCOL })).toEqual([]);
  const sent = { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_EXPORTER_OTLP_PROTOCOL };
  expect(faults(sent)).toEqual([
    expect.stringMatching(/^OTEL_EXPORTER_OTLP_PROTOCOL: expected http\/json, .*4318/),
  ]);
  expect(faults({ ...sent, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' })).toEqual([]);
  expect(faults({ ...sent, OTEL_SDK_DISABLED: 'true' })).toEqual([]);
});

test('readConfig refuses the same port for the public and the ops listener on the same host', () => {
  expect(faults({ PORT: '4000', OPS_PORT: '4000' })).toEqual([
    'OPS_PORT: expected a port other than PORT, which is 4000',
  ]);
  expect(faults({ PORT: '4000', OPS_PORT: '4000', HOST: '127.0.0.2' })).toEqual([]);
  expect(faults({ PORT: '0', OPS_PORT: '0' })).toEqual([]);
});

test('readConfig reads the sampler from OTEL_TRACES_SAMPLER and the fraction of sampled traces from OTEL_TRACES_SAMPLER_ARG', () => {
  const read = (more: NodeJS.ProcessEnv) =>
    readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector, ...more }).observability.traces;
  const OTEL_TRACES_SAMPLER_ARG = '0.5';
  expect(read({ OTEL_TRACES_SAMPLER_ARG })).toMatchObject({
    ...{ sampler: 'parentbased_traceidratio', sampleShare: 0.5 },
  });
  const OTEL_TRACES_SAMPLER = 'always_off';
  expect(read({ OTEL_TRACES_SAMPLER })).toMatchObject({ sampler: 'always_off' });
});

test('readConfig returns a note about a parameter of REDIS_URL that has no effect, and removes the parameter from the URL', () => {
  const REDIS_URL = 'redis://a:6379/2?family=6';
  expect(readConfig({ REDIS_URL })).toMatchObject({
    quotas: { redis: ['redis://a:6379/2'] },
    notes: [expect.stringMatching(/^REDIS_URL: family is ignored \(/)],
  });
});

test.each<readonly [name: string, meant: string | undefined]>([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['REDIS-URL', 'REDIS_URL'],
  ['REDIS_TIMEOUT', undefined],
  ['MAX_CONECTIONS', 'MAX_CONNECTIONS'],
  ['DATADIR', 'DATA_DIR'],
  ['OpsPort', 'OPS_PORT'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['REDSI_URL', 'REDIS_URL'],
  ['DATA_DRI', 'DATA_DIR'],
  ['REPLICSA', 'REPLICAS'],
  ['CROS_ORIGINS', 'CORS_ORIGINS'],
  // The name is also similar to OPS_HOSTS, but more similar to OPS_PORT.
  ['OPS_PORTS', 'OPS_PORT'],
  // The names in this list are common variables of shells, npm, Kubernetes, OpenTelemetry and other
  // programs. The service must ignore them.
  ...[
    'HOSTNAME',
    'LANGUAGE',
    'LS_COLORS',
    'REDIS_PORT',
    'API_PORT',
    'APP_HOST',
    'APP_HOSTS',
    'POS_PORT',
    'OPC_PORT',
    'MEDIA_URL',
    'DATA_URL',
    'NODE_OPTIONS',
    'OTEL_EXPORTER_OTLP_HEADERS',
  ].map((name) => [name, undefined] as const),
])(
  'readConfig refuses an unknown environment variable only if its name is similar to the name of a setting: %s (similar to %s)',
  (name, meant) => {
    const line = `${name}: unknown variable. Use ${meant} or unset ${name}`;
    if (meant === undefined) expect(readConfig({ [name]: 'x' })).toBeDefined();
    else expect(faults({ [name]: 'x' })).toEqual([line]);
  },
);
