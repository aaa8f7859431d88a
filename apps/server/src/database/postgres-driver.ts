import type { Duplex } from 'node:stream';
import type { Address } from './postgres-socket.ts';

/**
 * The options that every connection to Postgres has.
 *
 * @param options.socket opens the socket of each connection. An option of the driver that its types lack.
 * @param options.connectSeconds how long it may take to connect.
 */
export function driverOptions(
  { host, port }: Address,
  options: {
    socket: (options: SocketOptions) => Duplex | Promise<Duplex>;
    connectSeconds: number;
  },
) {
  return {
    socket: options.socket,
    // One host, also if the URL has several: the driver would go through them without a pause and
    // without an end, and no statement would ever fail.
    host,
    port,
    connect_timeout: options.connectSeconds,
    // The driver's own pause between attempts grows to 20 s. A Postgres that is back would look dead
    // for as long.
    backoff: () => 0,
    // The driver would ask each new connection for the types of all arrays, and nobody handles the
    // failure of that query: a connection that was lost at that moment ended the process.
    fetch_types: false,
    onnotice: () => {},
  };
}

/** What the driver says of the socket that it wants. */
export interface SocketOptions {
  /** `null` for a connection that listens to a channel and is never idle. */
  readonly idle_timeout?: number | null;
}
