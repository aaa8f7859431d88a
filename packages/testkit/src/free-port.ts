import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Finds a loopback port that is not in use.
 *
 * Another process may take it before it is used, so use it only for programs that do not accept port 0.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts something on a free port, and retries on another port if it was taken meanwhile: test files run in
 * parallel.
 */
export async function onFreePort<T>(
  start: (port: number) => Promise<T>,
  findPort = freePort,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await findPort());
    } catch (error) {
      const taken = error instanceof Error && /address already in use/i.test(error.message);
      if (!taken || attempt === 5) throw error;
    }
  }
}
