import { readdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { maxOpenFiles } from '@animal-store/runtime';
import { networkOf } from './client-network.ts';

/**
 * The reasons for refusing a connection. The first two reasons are limits that operators can set.
 * The last reason is that the process has opened nearly as many files as the operating system
 * allows.
 */
export const connectionLimits = [
  'MAX_CONNECTIONS',
  'MAX_CONNECTIONS_PER_NETWORK',
  'open_files',
] as const;

export type ConnectionLimit = (typeof connectionLimits)[number];

/** The default share of all connections that one network may open. */
const networkShare = 1 / 4;

/**
 * Closes new connections when the server already has `max` connections, or fewer if the process
 * lacks file descriptors. Connections of a network that already has too many are also closed, so
 * that one host cannot use all connections.
 *
 * @param options.maxPerNetwork 0 for no limit, `undefined` for a quarter of all connections.
 * @param options.onRefused a function that is called for each refused connection.
 */
export function limitConnections(
  server: Server,
  options: {
    max: number;
    maxPerNetwork: number | undefined;
    onRefused: (limit: ConnectionLimit) => void;
  },
): void {
  const { max, onRefused } = options;
  const room = connectionRoom();
  server.maxConnections = Math.min(max, room);
  server.on('drop', () => onRefused(max <= room ? 'MAX_CONNECTIONS' : 'open_files'));

  const maxPerNetwork = options.maxPerNetwork ?? Math.ceil(server.maxConnections * networkShare);
  if (maxPerNetwork === 0) return;
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const network = networkOf({ ip: undefined, socket });
    const count = (open.get(network) ?? 0) + 1;
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
    if (count <= maxPerNetwork) return;
    onRefused('MAX_CONNECTIONS_PER_NETWORK');
    socket.destroy();
  });
}

/**
 * The number of file descriptors that the public port leaves unused. The ops listener, Postgres,
 * Redis and the files of the embedded database need them. If fewer than 200 descriptors are free,
 * the public port leaves half of them unused.
 */
const reservedDescriptors = 100;

/**
 * Returns how many connections the public port may have without using up the file descriptors of
 * the process. Without this limit, an attacker could use up all of them. Health checks would then
 * fail, and the orchestrator would kill the replica.
 *
 * Call the function after Postgres and Redis are connected. It returns `Infinity` on systems
 * without `/proc`.
 */
function connectionRoom(): number {
  const limit = maxOpenFiles();
  if (limit === Number.POSITIVE_INFINITY) return limit;
  const free = Math.max(0, limit - readdirSync('/proc/self/fd').length);
  return Math.floor(Math.max(free - reservedDescriptors, free / 2));
}
