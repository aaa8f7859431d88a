import { freePort, reservePort } from './free-port.ts';
import { openRedis, type Redis } from './redis.ts';

/** The number of slots in every Redis Cluster. */
const slots = 16_384;

/** Starts a private Redis Cluster of three masters and waits until every node reports that it is complete. */
export async function openRedisCluster() {
  await using opened = new AsyncDisposableStack();
  const nodes: Redis[] = [];
  for (let count = 0; count < 3; count++) {
    const options = { args: ['--cluster-enabled', 'yes'], port: await freeClusterPort() };
    nodes.push(opened.use(await openRedis(options)));
  }
  await join(nodes);
  const kept = opened.move();
  return {
    /** The URLs, one for each node. */
    urls: nodes.map((it) => it.url),
    /** The nodes, to pause, kill or query one of them. */
    nodes,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** `redis-cli --cluster create` is not used, because it takes three seconds longer. */
async function join(nodes: readonly Redis[]): Promise<void> {
  const firstSlot = (index: number) => Math.floor((index * slots) / nodes.length);
  for (const [index, node] of nodes.entries()) {
    const [from, to] = [firstSlot(index), firstSlot(index + 1) - 1];
    await node.command('cluster', 'addslotsrange', String(from), String(to));
    // Each node has its own epoch. Otherwise the nodes would have to resolve the conflict.
    await node.command('cluster', 'set-config-epoch', String(index + 1));
    // Each node is introduced to all others, because gossip alone takes seconds.
    for (const other of nodes.slice(0, index)) {
      await node.command('cluster', 'meet', '127.0.0.1', String(other.port));
    }
  }
  // A node serves nothing before it knows the owner of each slot.
  await Promise.all(nodes.map((node) => node.untilOutput(/Cluster state changed: ok/)));
}

/** A node listens on its port and, for the other nodes, on the port 10,000 above. */
async function freeClusterPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (await reservePort(port + 10_000)) return port;
  }
}
