import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { StartupError } from '@animal-store/runtime';
import postgres from 'postgres';
import type { Address } from './postgres-socket.ts';
import type { PostgresUrl } from './postgres-url.ts';
import { sessionSettings } from './session-settings.ts';

/**
 * Creates the driver's pool for one host. Every connection to Postgres is created here.
 *
 * It sets every option that the driver would otherwise read from `PG*` variables.
 *
 * @param options.socket opens the socket of each connection. The types of the driver lack this
 *   option.
 * @param options.connectSeconds the timeout of a new connection.
 * @param options.purpose is added to the application's name.
 * @param options.statementSeconds how long Postgres may work on a statement.
 */
export function connectPostgres(
  url: PostgresUrl,
  { host, port }: Address,
  options: {
    socket: (options: SocketOptions) => Duplex | Promise<Duplex>;
    connectSeconds: number;
    max: number;
    idleSeconds?: number;
    purpose?: string;
    statementSeconds?: number;
  },
): postgres.Sql {
  const { idleSeconds, purpose, statementSeconds } = options;
  const { user, password, database, applicationName } = url;
  const given = {
    socket: options.socket,
    // The driver gets one host, even if the URL has several. It would try them without a pause and
    // without an end, and no statement would ever fail. The host only appears in messages, because
    // `socket` knows the address.
    ...{ host, port, user, database },
    // The password is a function, because the driver treats an empty string as a missing password.
    password: () => password,
    ssl: tlsOptions(url),
    sslnegotiation: url.isTlsDirect ? 'direct' : null,
    max: options.max,
    idle_timeout: idleSeconds,
    connect_timeout: options.connectSeconds,
    // This is the default of the driver: half an hour to an hour, so that connections spread over
    // new hosts.
    max_lifetime: 60 * (30 + Math.random() * 30),
    ...{ max_pipeline: 100, keep_alive: 60, prepare: true, debug: false },
    publications: 'alltables',
    // The driver's own pause between attempts grows to 20 s. A Postgres that is back would look
    // dead for that long.
    backoff: () => 0,
    // The driver would query the types of all arrays on each new connection, and nobody handles the
    // failure of that query. A connection lost at that moment ended the process.
    fetch_types: false,
    onnotice: () => {},
    connection: {
      ...sessionSettings,
      application_name: purpose === undefined ? applicationName : `${applicationName} ${purpose}`,
      ...(statementSeconds !== undefined && { statement_timeout: statementSeconds * 1_000 }),
    },
  };
  return postgres(given);
}

function tlsOptions({ tls, caFile }: PostgresUrl) {
  switch (tls) {
    case 'disable':
      return false;
    case 'prefer':
    case 'require':
      return tls;
    case 'verify-ca':
      return { ...caOf(caFile), checkServerIdentity: () => undefined };
    case 'verify-full':
      return caFile === undefined ? tls : caOf(caFile);
  }
}

function caOf(caFile: string | undefined): { ca?: Buffer } {
  if (caFile === undefined) return {};
  try {
    return { ca: readFileSync(caFile) };
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new StartupError(`DATABASE_URL: sslrootcert: the file cannot be read: ${code}`);
  }
}

/** What the driver passes to the function that opens a socket. */
export interface SocketOptions {
  /** `null` for a connection that listens to a channel and is never idle. */
  readonly idle_timeout?: number | null;
}
