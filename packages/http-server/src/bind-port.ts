import type { AddressInfo, Server } from 'node:net';
import { errorText, StartupError } from '@animal-store/runtime';

/**
 * The number of new connections that may wait until the server accepts them. Linux allows 4,096 by
 * default (`somaxconn`). With Node's default of 511, a burst of new connections fills the queue,
 * and the kernel drops the next ones. The client's TCP repeats a dropped connection request only
 * after 1 s, and again after 3 s.
 */
const backlog = 4_096;

/**
 * Makes a server listen on a port and returns the port.
 *
 * @param address.variables the prefix of the environment variables that set the address, such as
 * `OPS_` for `OPS_PORT`. Error messages name these variables.
 * @throws {StartupError} if the port or the host is not available.
 */
export async function bindPort(
  server: Server,
  { host, port, variables = '' }: { host: string; port: number; variables?: 'OPS_' | '' },
): Promise<number> {
  const portName = `${variables}PORT`;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, backlog }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    switch (code) {
      case 'EADDRINUSE':
        throw new StartupError(
          `${portName}: ${port} on ${host} is in use. Choose another ${portName}.`,
        );
      case 'EACCES':
        throw new StartupError(
          `${portName}: this user has no permission to listen on ${port}. Choose another ${portName}.`,
        );
      default:
        throw new StartupError(
          `${variables}HOST: cannot listen on ${host}: ${errorText(error)}. Choose an address of this machine.`,
        );
    }
  }
  return (server.address() as AddressInfo).port;
}
