import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Finds a loopback port that nobody listens on.
 *
 * Somebody else may take it before it is used, so only for programs that cannot be told port 0.
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
 * Starts something on a free port, and again on another when somebody was faster: test files run
 * in parallel, and between finding a port and using it there is always a gap.
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
