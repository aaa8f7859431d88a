import assert from 'node:assert/strict';
import {
  type Cut,
  cutKinds,
  cutPlaces,
  openRedis,
  openTcpProxy,
  redisProtocol,
  until,
} from '@animal-store/testkit';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { openRedis as connectToRedis } from '../src/open-redis.ts';
import {
  ask,
  type Caller,
  createCallers,
  expectCountedOnce,
  sharedLimitOptions,
} from './counting-callers.ts';
import type { TestQuotas } from './open-test-quotas.ts';
import { openTestQuotas } from './open-test-quotas.ts';

/**
 * The ways to disturb one message. The connection is cut before, in the middle of, or after the
 * message. Or the message is delayed until a circuit breaker has opened.
 */
const faults: readonly (Cut | 'delay')[] = [
  ...cutPlaces.flatMap((place) => cutKinds.map((kind) => ({ place, kind }))),
  'delay',
];

/**
 * The maximum number of times that the test sends its requests until the chosen message has passed
 * the proxy. Usually, fewer are enough.
 */
const maxLoads = 100;

export const faultCases = (['request', 'response'] as const).flatMap((direction) =>
  faults.map((fault) => ({ direction, fault })),
);

/**
 * Opens two replicas of the service that are connected to Redis through a proxy. The proxy can
 * disturb messages.
 */
export async function openRedisCuts({ seed }: { seed: number }) {
  await using stack = new AsyncDisposableStack();
  const random = createSeededRandom(seed);
  const upTo = (n: number) => Math.floor(random() * n);
  /** The indexes of the replicas whose circuit breaker is open. */
  const isOpen = new Set<number>();
  /** Decides whether the proxy disturbs a message. */
  let onMessage: NonNullable<Parameters<typeof openTcpProxy>[0]['onMessage']> = () => undefined;

  const redis = stack.use(await openRedis());
  const proxy = stack.use(
    await openTcpProxy({
      target: redis.url,
      protocol: redisProtocol,
      onMessage: (message) => onMessage(message),
    }),
  );
  const open = async (url: string, timeoutMs: number, number: number) =>
    stack.use(
      await openTestQuotas({
        ...{ ...sharedLimitOptions, redis: [url], timeoutMs, probeEveryMs: 20 },
        onBreaker: (state) => (state === 'open' ? isOpen.add(number) : isOpen.delete(number)),
      }),
    );
  const connection = connectToRedis([redis.url], { connectTimeoutMs: 10_000, name: 'test' });
  stack.defer(() => connection.disconnect());
  const directQuotas = await open(redis.url, 60_000, 0);
  const replicas = [await open(proxy.url, 400, 1), await open(proxy.url, 400, 2)];
  const untilRedisDecides = () => until(() => isOpen.size === 0);

  const kept = stack.move();
  return {
    /** Disturbs one message, and asserts that each request still gets a correct answer. */
    async runFaultCase({ direction, fault }: (typeof faultCases)[number]): Promise<void> {
      await untilRedisDecides();
      const callers = await createCallers(directQuotas, { connection, count: 4, countGap: 70 });
      const place = upTo(8);
      let passed = 0;
      onMessage = (message) => {
        if (message.direction !== direction) return undefined;
        passed += 1;
        if (passed !== place + 1) return undefined;
        return fault === 'delay' ? until(() => isOpen.size > 0) : fault;
      };
      // The test sends its requests again if too few messages have passed the proxy. This happens
      // when a decision times out although no message was disturbed.
      for (let loads = 0; passed <= place; loads += 1) {
        assert(loads < maxLoads, `${passed} messages passed`);
        // The 20 requests of each turn arrive together, so some of them share a script call.
        for (let turn = 0; turn < 3; turn += 1) {
          const requests = Array.from({ length: 20 }, () =>
            ask(callers[upTo(4)] as Caller, replicas[upTo(2)] as TestQuotas),
          );
          await Promise.all(requests);
        }
        await untilRedisDecides();
      }
      await expectCountedOnce(callers, directQuotas);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
