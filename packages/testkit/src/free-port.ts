import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range of ports for programs. It is below the ports that operating systems assign by
 * themselves (from 32768 on Linux, from 49152 elsewhere). Otherwise the system could assign the
 * port of a stopped program to a connection, and the program could not start again. Each node of a
 * Redis Cluster also listens on a second port, which is 10,000 higher than its first one. The
 * second port is below the assigned ports, too.
 */
const range = { first: 10_500, size: 10_000 };

/**
 * Finds a free port on loopback. It returns each port only once in the life of this process, so
 * that a program on the port can stop and start again. A program outside of the tests may still
 * take the port.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= range.size; attempt++) {
    const port = range.first + Math.floor(Math.random() * range.size);
    if (await reservePort(port)) return port;
  }
  throw new Error(
    `No port above ${range.first} is free. End some programs that listen on these ports.`,
  );
}

/**
 * Reserves a TCP port for this process, by binding the UDP port with the same number. No test uses
 * that UDP port, and the system frees it when the process ends.
 *
 * @returns whether the port is reserved, and no program listens on it.
 */
export async function reservePort(port: number): Promise<boolean> {
  const mark = createSocket('udp4');
  try {
    mark.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(mark, 'listening');
    // The server listens on all addresses, because another program may listen on any of them.
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
