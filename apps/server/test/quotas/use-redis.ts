import { openRedis } from '@animal-store/testkit';
import { Redis } from 'ioredis';
import { beforeAll } from 'vitest';

/** Starts a Redis for the tests of a file, with a connection to look into it. */
export function useRedis(): { readonly url: string; readonly connection: Redis } {
  const opened = {} as { url: string; connection: Redis };
  beforeAll(async () => {
    const server = await openRedis();
    Object.assign(opened, { url: server.url, connection: new Redis(server.url) });
    return async () => {
      opened.connection.disconnect();
      await server[Symbol.asyncDispose]();
    };
  });
  return opened;
}
