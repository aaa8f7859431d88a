import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { StartupError } from '@animal-store/runtime';
import postgres from 'postgres';
import type { Address } from './postgres-socket.ts';
import type { PostgresUrl } from './postgres-url.ts';
import { sessionSettings } from './session-settings.ts';

/**
 * Creates the driver's pool for one host. Every connection to Postgres is made here.
 *
 * All that the driver would otherwise read from `PG*` variables is given.
 *
 * @param options.socket opens the socket of each connection. An option of the driver that its types lack.
 * @param options.connectSeconds how long it may take to connect.
 * @param options.purpose is added to the application's name.
 * @param options.statementSeconds how long Postgres works on a statement.
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
    // One host, also if the URL has several: the driver would go through them without a pause and
    // without an end, and no statement would ever fail. Only for messages: `socket` knows the address.
    ...{ host, port, user, database },
    // A function, because the driver takes an empty text for a missing one.
    password: () => password,
    ssl: tlsOptions(url),
    sslnegotiation: url.isTlsDirect ? 'direct' : null,
    max: options.max,
    idle_timeout: idleSeconds,
    connect_timeout: options.connectSeconds,
    // The driver's own: half an hour to an hour, so that connections spread over new hosts.
    max_lifetime: 60 * (30 + Math.random() * 30),
    ...{ max_pipeline: 100, keep_alive: 60, prepare: true, debug: false },
    publications: 'alltables',
    // The driver's own pause between attempts grows to 20 s. A Postgres that is back would look dead
    // for as long.
    backoff: () => 0,
    // The driver would ask each new connection for the types of all arrays, and nobody handles the
    // failure of that query: a connection that was lost at that moment ended the process.
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

/** What the driver says of the socket that it wants. */
export interface SocketOptions {
  /** `null` for a connection that listens to a channel and is never idle. */
  readonly idle_timeout?: number | null;
}
