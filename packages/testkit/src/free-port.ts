import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range is below the ports that systems assign to connections and to port 0 (Linux: from 32768,
 * others: from 49152). Otherwise a connection could take the port of a stopped program, which then
 * could not start again. Each node of a Redis Cluster also listens on a second port, 10,000 above its first one. That port may be one that systems assign.
 */
const range = { first: 10_500, size: 10_000 };

/**
 * Finds a free loopback port, and returns each port only once while this process lives.
 *
 * So the program that listens there may stop and start again. A program outside the tests may still
 * take the port.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= range.size; attempt++) {
    const port = range.first + Math.floor(Math.random() * range.size);
    if (await reservePort(port)) return port;
  }
  throw new Error(`No port above ${range.first} is free.`);
}

/**
 * Reserves a TCP port for this process by binding the UDP port of the same number. Nobody uses that
 * port, and the system frees it when the process ends.
 *
 * @returns whether the reservation succeeded and nobody listens there.
 */
export async function reservePort(port: number): Promise<boolean> {
  const mark = createSocket('udp4');
  try {
    mark.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(mark, 'listening');
    // All addresses are checked, because others may listen on any of them.
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
