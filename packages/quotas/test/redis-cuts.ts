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
import type { TestQuotas } from './open-test-quotas.ts';
import { openTestQuotas } from './open-test-quotas.ts';
import {
  ask,
  type Caller,
  createCallers,
  expectToldAndCounted,
  toldOptions,
} from './told-and-counted.ts';

/** The fault of one message: its connection is cut, or it arrives after its timeout. */
const harms: readonly (Cut | 'delay')[] = [
  ...cutPlaces.flatMap((place) => cutKinds.map((kind) => ({ place, kind }))),
  'delay',
];

/** More loads than a test needs until a message has met its fault. */
const maxLoads = 100;

export const harmfulCases = (['request', 'response'] as const).flatMap((direction) =>
  harms.map((harm) => ({ direction, harm })),
);

/** Opens two replicas whose connections to Redis can inject faults. */
export async function openRedisCuts({ seed }: { seed: number }) {
  await using stack = new AsyncDisposableStack();
  const random = createSeededRandom(seed);
  const upTo = (n: number) => Math.floor(random() * n);
  /** How many of these quotas work without Redis now. */
  const isOpen = new Set<number>();
  /** Decides about each message that passes the proxy. */
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
        ...{ ...toldOptions, redis: [url], timeoutMs, probeEveryMs: 20 },
        onBreaker: (state) => (state === 'open' ? isOpen.add(number) : isOpen.delete(number)),
      }),
    );
  const connection = connectToRedis([redis.url], { connectTimeoutMs: 10_000, name: 'test' });
  stack.defer(() => connection.disconnect());
  const undisturbed = await open(redis.url, 60_000, 0);
  const replicas = [await open(proxy.url, 400, 1), await open(proxy.url, 400, 2)];
  const untilRedisDecides = () => until(() => isOpen.size === 0);

  const kept = stack.move();
  return {
    /** Injects a fault into one message, and expects a correct answer to each request. */
    async harmOne({ direction, harm }: (typeof harmfulCases)[number]): Promise<void> {
      await untilRedisDecides();
      const callers = await createCallers(undisturbed, { connection, count: 4, apart: 70 });
      const place = upTo(8);
      let passed = 0;
      onMessage = (message) => {
        if (message.direction !== direction) return undefined;
        passed += 1;
        if (passed !== place + 1) return undefined;
        return harm === 'delay' ? until(() => isOpen.size > 0) : harm;
      };
      // A decision may time out by itself; then few messages pass.
      for (let loads = 0; passed <= place; loads += 1) {
        assert(loads < maxLoads, `${passed} messages passed`);
        // Some requests share a script call, and some have their own.
        for (let turn = 0; turn < 3; turn += 1) {
          const requests = Array.from({ length: 20 }, () =>
            ask(callers[upTo(4)] as Caller, replicas[upTo(2)] as TestQuotas),
          );
          await Promise.all(requests);
        }
        await untilRedisDecides();
      }
      await expectToldAndCounted(callers, undisturbed);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
