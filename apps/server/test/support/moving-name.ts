import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { freePort, temporaryDirectory } from '@animal-store/testkit';

/**
 * Creates a host name that resolves to one of several machines, as a DNS failover does. The
 * machines are loopback addresses with the same port, each of which forwards to a program of its
 * own.
 *
 * @param ports the ports of the programs on 127.0.0.1. At first, the name resolves to the first
 *   program.
 * @returns an object with `env`, the environment variables for servers that use the name.
 */
export async function openMovingName(stack: AsyncDisposableStack, ports: readonly number[]) {
  const directory = stack.use(await temporaryDirectory()).path;
  const port = await freePort();
  const addresses = ports.map((_, index) => `127.0.0.${index + 1}`);
  for (const [index, target] of ports.entries()) {
    const machine = createServer((client) => {
      const upstream = connect(target, '127.0.0.1');
      pipeline(client, upstream, client, () => {});
    });
    await once(machine.listen(port, addresses[index]), 'listening');
    stack.defer(() => void machine.close());
  }

  const file = join(directory, 'address');
  /**
   * Makes the host name resolve to another machine. If no index is given, the host name can no
   * longer be resolved.
   */
  const leadTo = (index: number | undefined) =>
    writeFileSync(file, index === undefined ? '' : (addresses[index] ?? ''));
  leadTo(0);
  const preload = new URL('look-up-moving-name.ts', import.meta.url);
  preload.searchParams.set('file', file);
  return { host: `postgres.test:${port}`, leadTo, env: { NODE_OPTIONS: `--import=${preload}` } };
}
