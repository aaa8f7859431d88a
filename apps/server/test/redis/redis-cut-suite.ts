import {
  type Cut,
  cutKinds,
  cutPlaces,
  type MessageProxy,
  openMessageProxy,
  openRedis,
  type PassingMessage,
  type Redis,
  redisProtocol,
  until,
} from '@animal-store/testkit';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openQuotas, type Quotas } from '../../src/quotas/open-quotas.ts';
import { suiteOptions } from '../quotas/quota-subject.ts';
import {
  ask,
  type Caller,
  createCallers,
  expectToldAndCounted,
  toldOptions,
} from './told-and-counted.ts';

const redisTimeoutMs = 200;
/** Longer than a decision may take: the reply arrives when nobody waits for it. */
const lateMs = 2 * redisTimeoutMs;

/** What happens to one message: its connection is cut, or it is late. */
const harms: readonly (Cut | number)[] = [
  ...cutPlaces.flatMap((place) => cutKinds.map((kind) => ({ place, kind }))),
  lateMs,
];
const directions = ['request', 'response'] as const;

/** Lets one message come to harm, again and again. */
export function describeRedisCuts({ times, seed }: { times: number; seed: number }): void {
  describe(`connections to Redis that are cut at a message, seed ${seed}`, () => {
    const stack = new AsyncDisposableStack();
    const random = createSeededRandom(seed);
    const upTo = (n: number) => Math.floor(random() * n);
    let redis: Redis;
    let proxy: MessageProxy;
    let undisturbed: Quotas;
    let replicas: Quotas[];
    const isOpen = new Set<number>();
    /** Decides about each message that passes. */
    let onMessage: (message: PassingMessage) => Cut | number | undefined = () => undefined;

    const open = async (url: string, timeoutMs: number, number: number) => {
      const quotas = await openQuotas({
        ...suiteOptions,
        ...toldOptions,
        redisUrls: [url],
        redisTimeoutMs: timeoutMs,
        onBreaker(state) {
          if (state === 'open') isOpen.add(number);
          else isOpen.delete(number);
        },
        onBan() {},
      });
      stack.defer(() => quotas.close());
      return quotas;
    };

    beforeAll(async () => {
      redis = stack.use(await openRedis());
      const target = { host: '127.0.0.1', port: redis.port };
      proxy = stack.use(
        await openMessageProxy({
          target,
          protocol: redisProtocol,
          onMessage: (message) => onMessage(message),
        }),
      );
      undisturbed = await open(redis.url, 60_000, 0);
      replicas = await Promise.all(
        [1, 2].map((n) => open(proxy.via(redis.url), redisTimeoutMs, n)),
      );
      // On a busy machine they may be open before they are connected.
      await until(() => isOpen.size === 0);
    });
    afterAll(() => stack.disposeAsync());

    /** Sends requests of all callers through both replicas. Some share a call, some have their own. */
    async function load(callers: readonly Caller[]): Promise<void> {
      for (let turn = 0; turn < 3; turn += 1) {
        const requests = Array.from({ length: 20 }, () => {
          const caller = callers[upTo(callers.length)] as Caller;
          return ask(caller, replicas[upTo(replicas.length)] as Quotas);
        });
        await Promise.all(requests);
      }
    }

    const cases = directions.flatMap((direction) => harms.map((harm) => ({ direction, harm })));

    test.each(cases)('a $direction that meets $harm is answered right', async (harmful) => {
      for (let time = 0; time < times; time += 1) {
        // New ones, so that the minute of the networks does not end in between.
        const callers = await createCallers(undisturbed, { count: 8, apart: 70 });
        const place = upTo(8);
        let passed = 0;
        onMessage = ({ direction }) => {
          if (direction !== harmful.direction) return undefined;
          passed += 1;
          return passed === place + 1 ? harmful.harm : undefined;
        };
        // On a busy machine a decision may be late by itself; then few messages pass.
        while (passed <= place) {
          await load(callers);
          await until(() => isOpen.size === 0);
        }
        await expectToldAndCounted(callers, undisturbed);
      }
    });
  });
}
