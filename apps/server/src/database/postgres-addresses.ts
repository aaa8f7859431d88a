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
