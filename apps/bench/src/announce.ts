import type { AddressInfo, Server } from 'node:net';

/**
 * Prints the line that the service prints when it is ready. The package `testkit` waits for this
 * line before it sends requests to a server.
 */
export function announce(server: Pick<Server, 'address'>): void {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Animal Store is listening on http://127.0.0.1:${port}/v1\n`);
}
