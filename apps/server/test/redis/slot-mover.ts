import type { RedisCluster } from '@animal-store/testkit';
import { Redis } from 'ioredis';

/** Moves slots between the nodes of a Cluster, as `redis-cli --cluster reshard` does. */
export async function openSlotMover(cluster: RedisCluster) {
  const nodes = await Promise.all(
    cluster.nodes.map(async ({ port, url }) => {
      const client = new Redis(url);
      return { port, client, id: String(await client.cluster('MYID')) };
    }),
  );

  return {
    /**
     * Moves the slot of a key to another node.
     *
     * @param between called after each step. Until the last one, both nodes have a part of the slot.
     */
    async move(key: string, between: () => Promise<unknown>): Promise<void> {
      const slot = Number(await nodes[0]?.client.cluster('KEYSLOT', key));
      const port = await ownerOf(slot);
      const from = nodes.findIndex((node) => node.port === port);
      const [source, target] = [nodes[from], nodes[(from + 1) % nodes.length]];
      if (source === undefined || target === undefined) throw new Error(`Nobody has slot ${slot}.`);

      await target.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
      await source.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
      await between();
      const keys = (await source.client.cluster('GETKEYSINSLOT', slot, 1_000)) as string[];
      for (const key of keys) {
        await source.client.call('MIGRATE', '127.0.0.1', target.port, key, 0, 5_000);
        await between();
      }
      for (const { client } of [target, source, ...nodes]) {
        await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', target.id);
        await between();
      }
    },

    /** How often nodes have redirected a command, as `errorstats` of INFO counts it. */
    async countRedirections(kind: 'ASK' | 'MOVED'): Promise<number> {
      const stats = await Promise.all(nodes.map(({ client }) => client.info('errorstats')));
      const counts = stats.map((it) => new RegExp(`errorstat_${kind}:count=(\\d+)`).exec(it)?.[1]);
      return counts.reduce((sum, count = '0') => sum + Number(count), 0);
    },

    close() {
      for (const { client } of nodes) client.disconnect();
    },
  };

  /** The port of the node that serves a slot. */
  async function ownerOf(slot: number): Promise<number | undefined> {
    type Range = [from: number, to: number, owner: [host: string, port: number]];
    const ranges = (await nodes[0]?.client.cluster('SLOTS')) as unknown as Range[];
    return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1];
  }
}
