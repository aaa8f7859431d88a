import { freePort, reservePort } from './free-port.ts';
import { openRedis, type Redis } from './redis.ts';

/** The number of slots in every Redis Cluster. */
const slots = 16_384;

/**
 * Starts a private Redis Cluster with three masters. Waits until every node reports that the
 * Cluster is complete.
 */
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
    /** The URLs of the nodes, one for each node. */
    urls: nodes.map((it) => it.url),
    /** The nodes. A test can pause, kill or query each of them. */
    nodes,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Joins the nodes to a Cluster. `redis-cli --cluster create` would take three seconds longer. */
async function join(nodes: readonly Redis[]): Promise<void> {
  const firstSlot = (index: number) => Math.floor((index * slots) / nodes.length);
  for (const [index, node] of nodes.entries()) {
    const [from, to] = [firstSlot(index), firstSlot(index + 1) - 1];
    await node.command('cluster', 'addslotsrange', String(from), String(to));
    // Each node gets its own configuration epoch, which orders the nodes. If two nodes had the same
    // epoch, they would have to resolve a conflict first.
    await node.command('cluster', 'set-config-epoch', String(index + 1));
    // Each node is introduced to all other nodes. If the nodes had to discover each other by
    // gossip, the start would take seconds longer.
    for (const other of nodes.slice(0, index)) {
      await node.command('cluster', 'meet', '127.0.0.1', String(other.port));
    }
  }
  // This wait is needed, because a node responds to no request before it knows the owner of each
  // slot.
  await Promise.all(nodes.map((node) => node.untilOutput(/Cluster state changed: ok/)));
}

/**
 * Finds two free ports for a node. The node listens for clients on the first port, and for the
 * other nodes on a port that is 10,000 higher.
 */
async function freeClusterPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (await reservePort(port + 10_000)) return port;
  }
}
