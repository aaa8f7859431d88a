import type { Duplex } from 'node:stream';
import postgres from 'postgres';
import type { Address } from './postgres-socket.ts';
import { type PostgresUrl, readCaFile } from './postgres-url.ts';
import { sessionSettings } from './session-settings.ts';

/**
 * Creates a connection pool of the driver for one host. Every connection to Postgres is created by
 * this function.
 *
 * The function sets all options that the driver would otherwise read from `PG*` variables.
 *
 * @param options.socket opens the socket of a connection. The types of the driver do not contain
 *   this option.
 * @param options.connectSeconds the timeout for opening a connection.
 * @param options.maxPipelined the number of statements that wait in Postgres behind the running
 *   statement of a connection. Further statements wait in this process.
 * @param options.purpose a word that is added to the application's name.
 * @param options.statementSeconds the timeout after which Postgres cancels a statement.
 */
export function connectPostgres(
  url: PostgresUrl,
  { host, port }: Address,
  options: {
    socket: (options: SocketOptions) => Duplex | Promise<Duplex>;
    connectSeconds: number;
    max: number;
    idleSeconds?: number;
    maxPipelined?: number;
    purpose?: string;
    statementSeconds?: number;
  },
): postgres.Sql {
  const { idleSeconds, maxPipelined = 100, purpose, statementSeconds } = options;
  const { user, password, database, applicationName } = url;
  const driverOptions = {
    socket: options.socket,
    // The driver gets only one host, even if the URL has several. With several hosts, the driver
    // would repeat its attempts forever and without a pause, and no statement would ever fail. The
    // option `host` only appears in messages, because `socket` knows the real address.
    ...{ host, port, user, database },
    // The driver would ignore an empty string as the password, so the password is a function.
    password: () => password,
    ssl: tlsOptions(url),
    sslnegotiation: url.isTlsDirect ? 'direct' : null,
    max: options.max,
    idle_timeout: idleSeconds,
    connect_timeout: options.connectSeconds,
    // A connection is closed after half an hour to an hour, which is also the driver's default. So
    // connections spread to new hosts over time.
    max_lifetime: 60 * (30 + Math.random() * 30),
    ...{ max_pipeline: maxPipelined, keep_alive: 60, prepare: true, debug: false },
    publications: 'alltables',
    // The driver's own pauses between two attempts to connect grow up to 20 s. After an outage, the
    // service would not notice for so long that Postgres works again.
    backoff: () => 0,
    // `fetch_types` is off. With this option, the driver would query the array types on each new
    // connection, and would not handle a failure of this query. A lost connection at that moment
    // would end the process.
    fetch_types: false,
    onnotice: () => {},
    connection: {
      ...sessionSettings,
      application_name: purpose === undefined ? applicationName : `${applicationName} ${purpose}`,
      ...(statementSeconds !== undefined && { statement_timeout: statementSeconds * 1_000 }),
    },
  };
  return postgres(driverOptions);
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

const caOf = (caFile: string | undefined): { ca?: Buffer } =>
  caFile === undefined ? {} : { ca: readCaFile(caFile) };

/** The options that the driver passes to the function that opens a socket. */
export interface SocketOptions {
  /** The idle timeout, or `null` for a connection that listens to a channel. */
  readonly idle_timeout?: number | null;
}
