import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to connections and to port 0 (Linux: from 32768, others: from 49152).
 * A connection would take one of those while the program that listened there is away, and then the program
 * cannot start there again. The nodes of a Redis Cluster also listen 10,000 above, on ports of the same kind.
 */
const range = { first: 10_500, size: 10_000 };

/**
 * Finds a loopback port that is not in use, and that no other test finds while this process lives.
 *
 * So what listens there may end and start again. A program outside the tests may still take the port.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= range.size; attempt++) {
    const port = range.first + Math.floor(Math.random() * range.size);
    if (await reservePort(port)) return port;
  }
  throw new Error(`No port above ${range.first} is free.`);
}

/**
 * Reserves a TCP port for this process, by the UDP port of the same number. Nobody listens to that, and the
 * system frees it when the process ends.
 *
 * @returns whether nobody has reserved it, or listens there.
 */
export async function reservePort(port: number): Promise<boolean> {
  const mark = createSocket('udp4');
  try {
    mark.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(mark, 'listening');
    // On all addresses, because others may listen on any of them.
    const server = createServer().listen(port);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    mark.unref();
    return true;
  } catch (error) {
    mark.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
