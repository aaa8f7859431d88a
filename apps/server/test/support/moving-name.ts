import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { freePort, temporaryDirectory } from '@animal-store/testkit';

/**
 * Opens a name that resolves to one of several machines, as DNS does. The machines are loopback
 * addresses with a common port, each in front of its own program.
 *
 * @param ports the ports of the programs on 127.0.0.1. At first, the name resolves to the first
 * one.
 * @returns `env` has the variables for servers that use the name.
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
  /** Without an index, the name cannot be resolved. */
  const leadTo = (index: number | undefined) =>
    writeFileSync(file, index === undefined ? '' : (addresses[index] ?? ''));
  leadTo(0);
  const preload = new URL('look-up-moving-name.ts', import.meta.url);
  preload.searchParams.set('file', file);
  return { host: `postgres.test:${port}`, leadTo, env: { NODE_OPTIONS: `--import=${preload}` } };
}
