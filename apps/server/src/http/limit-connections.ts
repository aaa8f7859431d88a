import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { networkOf } from './client-network.ts';

/**
 * Why a connection was refused: because of a setting, or because of the number of files that the
 * process may open.
 */
export const connectionLimits = [
  'MAX_CONNECTIONS',
  'MAX_CONNECTIONS_PER_NETWORK',
  'open_files',
] as const;

export type ConnectionLimit = (typeof connectionLimits)[number];

/** The default share of all connections that one network may have. */
const networkShare = 1 / 4;

/**
 * Closes new connections when the server has `max` of them, or fewer if the process lacks file
 * descriptors. It also closes connections of a network that has too many, so that one host cannot
 * take all connections.
 *
 * @param options.maxPerNetwork 0 for no limit, `undefined` for a quarter of all connections.
 * @param options.onRefused Called for each connection that is closed.
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
 * The file descriptors that the public port leaves for the operators' listener, the stores, and the
 * files that the embedded database opens later.
 */
const reservedDescriptors = 100;

/**
 * Returns how many connections the public port may have, so that file descriptors are left. Without
 * a reserve, connections of strangers could take all of them: probes would fail, and the
 * orchestrator would kill the replica.
 *
 * Call it after the stores are open. It returns `Infinity` on systems without `/proc`.
 * `process.report` also has the limit, but it first looks up the host names of all connections.
 */
function connectionRoom(): number {
  if (!existsSync('/proc/self/limits')) return Number.POSITIVE_INFINITY;
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  // The limit is the word "unlimited".
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  const free = Math.max(0, Number(limit) - readdirSync('/proc/self/fd').length);
  return Math.floor(Math.max(free - reservedDescriptors, free / 2));
}
