import { z } from 'zod';
import type { BanPolicy } from './quotas/ban-policy.ts';
import { StartupError } from './startup-error.ts';

/** What the service is told by its environment. */
export interface Config {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Where Postgres is; `undefined` for the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
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

const isUrl =
  (...protocols: readonly string[]) =>
  (text: string) =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol);

const isHttpOrigin = (text: string) =>
  isUrl('http:', 'https:')(text) && new URL(text).origin === text;

const day = 86_400;

const Environment = z.object({
  HOST: variable((text) => /^[\w.:-]+$/.test(text), 'a host name or address'),
  PORT: wholeNumber('PORT', 0, 65_535, 3_000),
  DATABASE_URL: variable(isUrl('postgres:', 'postgresql:'), 'postgres://user:password@host/name'),
  DATA_DIR: variable((text) => !text.includes('\0'), 'a path'),
  PUBLIC_URL: variable(isHttpOrigin, 'an origin without a path, such as https://api.example.com'),
  STAGING_URL: variable(isHttpOrigin, 'an origin, such as https://staging.example.com'),
  TRUST_PROXY: wholeNumber('TRUST_PROXY', 0, 100, 0),
  CORS_ORIGINS: variable(
    (text) => text.split(',').every((origin) => isHttpOrigin(origin.trim())),
    'origins separated by commas, such as https://shop.example.com',
  ),
  ADDRESS_PER_MINUTE: wholeNumber('ADDRESS_PER_MINUTE', 1, 1_000_000, 60),
  BAN_MIN_STRIKES: wholeNumber('BAN_MIN_STRIKES', 0, 1_000_000, 10),
  BAN_STRIKE_PERCENT: wholeNumber('BAN_STRIKE_PERCENT', 0, 10_000, 50),
  BAN_GRACE_MS: wholeNumber('BAN_GRACE_MS', 0, 60_000, 1_000),
  BAN_STRIKE_SECONDS: wholeNumber('BAN_STRIKE_SECONDS', 1, day, 60),
  BAN_SECONDS: wholeNumber('BAN_SECONDS', 1, day, 300),
  BAN_MAX_SECONDS: wholeNumber('BAN_MAX_SECONDS', 1, day, 3_600),
  BAN_MEMORY_SECONDS: wholeNumber('BAN_MEMORY_SECONDS', 1, 7 * day, day),
});

/**
 * Reads the configuration. This is the only place that looks at the environment.
 *
 * @throws {StartupError} that names every variable at fault, a line each.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable is one left out: that is how compose files and shells unset them.
  const given = Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
  const { data, error } = Environment.safeParse(given);
  if (error !== undefined) {
    throw new StartupError(
      error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
    );
  }
  return {
    host: data.HOST ?? '127.0.0.1',
    port: data.PORT,
    databaseUrl: data.DATABASE_URL,
    dataDir: data.DATA_DIR ?? '.data',
    publicUrl: data.PUBLIC_URL,
    stagingOrigin: data.STAGING_URL,
    trustedProxies: data.TRUST_PROXY,
    corsOrigins:
      data.CORS_ORIGINS === undefined
        ? undefined
        : new Set(data.CORS_ORIGINS.split(',').map((origin) => origin.trim())),
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
  };
}
