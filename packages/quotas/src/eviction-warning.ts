import { isCluster, type RedisConnection } from './open-redis.ts';

/**
 * Watches whether Redis evicts data when its memory is full, and warns once if it does. The counts
 * under an evicted Redis key begin again at 0. A Redis that does not report its settings is not
 * checked.
 */
export function warnOfEviction(redis: RedisConnection, onWarning: (sentence: string) => void) {
  let hasWarned = false;
  async function check(): Promise<void> {
    for (const node of isCluster(redis) ? redis.nodes('master') : [redis]) {
      const facts = await node.info('memory');
      const policy = /^maxmemory_policy:(\S+)/m.exec(facts)?.[1] ?? 'noeviction';
      const isLimited = /^maxmemory:[1-9]/m.test(facts);
      if (!isLimited || policy === 'noeviction' || hasWarned) continue;
      hasWarned = true;
      onWarning(
        `Redis evicts data when its memory is full (maxmemory-policy ${policy}). An evicted request count would start again at 0. Set maxmemory-policy to noeviction`,
      );
    }
  }
  const start = () => void check().catch(() => {});
  redis.on('ready', start);
  if (redis.status === 'ready') start();
}
