import { openRedis } from '@animal-store/testkit';
import { Redis } from 'ioredis';
import { beforeAll, onTestFinished } from 'vitest';
import { openTestQuotas } from './open-test-quotas.ts';

/**
 * Starts a Redis for the tests of a file, and opens a connection with which tests read its state.
 */
export function useRedis() {
  const opened = {} as { url: string; connection: Redis };
  beforeAll(async () => {
    const server = await openRedis();
    Object.assign(opened, { url: server.url, connection: new Redis(server.url) });
    return async () => {
      opened.connection.disconnect();
      await server[Symbol.asyncDispose]();
    };
  });
  return Object.assign(opened, {
    /** Opens quotas on this Redis. The quotas are closed at the end of the test. */
    async openQuotas(options?: Parameters<typeof openTestQuotas>[0]) {
      const quotas = await openTestQuotas({ redis: [opened.url], ...options });
      onTestFinished(() => quotas.close());
      return quotas;
    },
  });
}
