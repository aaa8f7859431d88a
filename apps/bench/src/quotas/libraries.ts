import { createQuotas, type Quota } from '@animal-store/quotas';
import { Redis } from 'ioredis';
import { type RedisReply, RedisStore } from 'rate-limit-redis';
import { RateLimiterRedis, RateLimiterRes, RateLimiterUnion } from 'rate-limiter-flexible';

/**
 * A rate-limit library that counts the requests of a minute and of a day in Redis. The benchmark
 * uses each library as its documentation shows.
 */
export interface Library {
  readonly title: string;
  open(redisUrl: string, quota: Quota): Promise<OpenLibrary>;
}

export interface OpenLibrary {
  /** Counts one request of a caller, and returns whether the library admits it. */
  take(id: string): Promise<boolean>;
  /** Returns how many requests the library has counted for a caller on this day. */
  usedOfDay(id: string): Promise<number>;
  close(): void;
}

const day = 86_400;

export const libraries: Readonly<Record<string, Library>> = {
  quotas: {
    title: '**@animal-store/quotas**, counts a minute and a day',
    async open(redis, quota) {
      const quotas = await createQuotas({ redis, timeoutMs: 60_000, banPolicy: false });
      return {
        take: async (id) => (await quotas.consume({ id, quota })).outcome === 'admitted',
        async usedOfDay(id) {
          const { windows } = await quotas.look({ id, quota });
          return quota.perDay - (windows[1]?.remaining ?? 0);
        },
        close: quotas.close,
      };
    },
  },
  'flexible-minute': {
    title: 'rate-limiter-flexible, counts only a minute',
    async open(url, { perMinute }) {
      const storeClient = new Redis(url);
      const minute = new RateLimiterRedis({ storeClient, points: perMinute, duration: 60 });
      return {
        take: (id) => isAdmitted(minute.consume(id)),
        usedOfDay: async () => 0,
        close: () => storeClient.disconnect(),
      };
    },
  },
  'flexible-union': {
    title: 'rate-limiter-flexible, counts a minute and a day in a union',
    async open(url, { perMinute, perDay }) {
      const storeClient = new Redis(url);
      const windows = [
        new RateLimiterRedis({ storeClient, keyPrefix: 'm', points: perMinute, duration: 60 }),
        new RateLimiterRedis({ storeClient, keyPrefix: 'd', points: perDay, duration: day }),
      ] as const;
      const union = new RateLimiterUnion(...windows);
      return {
        take: (id) => isAdmitted(union.consume(id)),
        usedOfDay: async (id) => (await windows[1].get(id))?.consumedPoints ?? 0,
        close: () => storeClient.disconnect(),
      };
    },
  },
  'rate-limit-redis': {
    title: 'rate-limit-redis (the store of express-rate-limit), with a limiter for each window',
    async open(url, { perMinute, perDay }) {
      const client = new Redis(url);
      const sendCommand = (command: string, ...args: string[]) =>
        client.call(command, ...args) as Promise<RedisReply>;
      const [minute, ofDay] = [
        new RedisStore({ sendCommand, prefix: 'm:' }),
        new RedisStore({ sendCommand, prefix: 'd:' }),
      ];
      minute.init({ windowMs: 60_000 } as Parameters<typeof minute.init>[0]);
      ofDay.init({ windowMs: day * 1_000 } as Parameters<typeof ofDay.init>[0]);
      return {
        async take(id) {
          const hits = await Promise.all([minute.increment(id), ofDay.increment(id)]);
          return hits[0].totalHits <= perMinute && hits[1].totalHits <= perDay;
        },
        usedOfDay: async (id) => (await ofDay.get(id))?.totalHits ?? 0,
        close: () => client.disconnect(),
      };
    },
  },
};

async function isAdmitted(consumed: Promise<unknown>): Promise<boolean> {
  try {
    await consumed;
    return true;
  } catch (reason) {
    if (reason instanceof RateLimiterRes) return false;
    const parts = Object.values(reason as object);
    if (parts.length > 0 && parts.every((part) => part instanceof RateLimiterRes)) return false;
    throw reason;
  }
}
