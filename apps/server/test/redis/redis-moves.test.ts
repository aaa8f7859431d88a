import { openRedisCluster, until } from '@animal-store/testkit';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import { openRedis } from '../../src/quotas/open-redis.ts';
import { openTestQuotas } from '../quotas/open-test-quotas.ts';
import { openSlotMover } from './slot-mover.ts';
import {
  ask,
  type Caller,
  createCallers,
  expectToldAndCounted,
  toldOptions,
} from './told-and-counted.ts';

const stack = new AsyncDisposableStack();
const random = createSeededRandom(1);
let slots: Awaited<ReturnType<typeof openSlotMover>>;
let replicas: Quotas[];
let callers: Caller[];
/** Why Redis did not decide. */
const failures: unknown[] = [];
let breakersOpen = 0;

beforeAll(async () => {
  const cluster = stack.use(await openRedisCluster());
  slots = await openSlotMover(cluster);
  stack.defer(() => slots.close());
  const open = async () => {
    const quotas = await openTestQuotas({
      ...toldOptions,
      redisUrls: cluster.urls,
      onBreaker(state, reason) {
        breakersOpen += state === 'open' ? 1 : -1;
        if (state === 'open') failures.push(reason);
      },
    });
    stack.defer(() => quotas.close());
    return quotas;
  };
  replicas = await Promise.all([open(), open()]);
  // A quota may be open before all nodes are connected.
  await until(() => breakersOpen === 0);
  failures.length = 0;
  const connection = openRedis(cluster.urls, 10_000);
  stack.defer(() => connection.disconnect());
  const options = { connection, count: 6, apart: 200 };
  callers = await createCallers(replicas[0] as Quotas, options);
});
afterAll(() => stack.disposeAsync());

/** Sends requests of all callers through both replicas. */
async function load(): Promise<void> {
  const requests = callers.flatMap((caller) =>
    replicas.flatMap((quotas) =>
      Array.from({ length: 1 + Math.floor(random() * 5) }, () => ask(caller, quotas)),
    ),
  );
  await Promise.all(requests);
}

// While a slot moves, its old node answers ASK for what has left and MOVED at the end.
test('requests are counted once, and decided by Redis, while the slots of their keys move', async () => {
  for (const { name } of callers) {
    const at = name.startsWith('key') ? `key:{${name}}` : `allowance:network:${name}`;
    await slots.move(`animal-store:${at}`, load);
  }
  expect(await slots.countRedirections('ASK')).toBeGreaterThan(0);
  expect(await slots.countRedirections('MOVED')).toBeGreaterThan(0);
  expect(failures).toEqual([]);
  for (const { name, sent, told } of callers) expect(told.length, name).toBe(sent);
  await expectToldAndCounted(callers, replicas[0] as Quotas);
});
