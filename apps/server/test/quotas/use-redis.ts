import { openRedis as startRedis } from '@animal-store/testkit';
import { beforeAll } from 'vitest';
import { openRedis, type RedisConnection } from '../../src/quotas/open-redis.ts';

/** Connects to a Redis of its own, for the tests of a file or of a `describe`. */
export function useRedis(): { readonly connection: RedisConnection } {
  let connection: RedisConnection;
  beforeAll(async () => {
    const server = await startRedis();
    connection = openRedis([server.url], 1_000);
    await new Promise((resolve) => connection.once('ready', resolve));
    return async () => {
      connection.disconnect();
      await server.close();
    };
  });
  return {
    get connection() {
      return connection;
    },
  };
}
