import postgres from 'postgres';
import { StartupError } from '../shared/startup-error.ts';
import type { Address } from './postgres-socket.ts';

/**
 * Reads the hosts of a `postgres://…` URL.
 *
 * @throws {StartupError} if the driver cannot read the URL, whose password its own error might repeat.
 */
export function readAddresses(url: string): [Address, ...Address[]] {
  try {
    const { host, port, path } = postgres(url).options;
    const toAddress = (name = 'localhost', index = 0): Address => ({
      host: name,
      port: port[index] ?? 5432,
      path: path || undefined,
    });
    return [toAddress(host[0]), ...host.slice(1).map((name, index) => toAddress(name, index + 1))];
  } catch {
    throw new StartupError(
      'DATABASE_URL: expected postgres://user:password@host/name, with special characters percent-encoded',
    );
  }
}

const target = /([?&])target_session_attrs=[^&]*&?/;

/** Whether a Postgres that accepts no writes must not be used, rather than used until another is found. */
export function mustAcceptWrites(url: string): boolean {
  return target.test(url);
}

/**
 * The URL for a connection to one host. Which host is used is decided before: the driver would try again
 * without an end, and take a standby for one that is `read-write`.
 */
export function urlOfOneHost(url: string): string {
  return url.replace(target, '$1');
}
