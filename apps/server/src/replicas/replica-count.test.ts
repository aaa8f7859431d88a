import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, test } from 'vitest';
import { createReplicaCount } from './replica-count.ts';

const own = 'own';
const clock = createTestClock();

/** A count that has heard these heartbeats. */
function countOf(...heard: readonly string[]) {
  const replicas = createReplicaCount({ id: own, clock });
  for (const id of heard) replicas.hear(id);
  return replicas;
}

test.each<[what: string, count: number, heard: string[]]>([
  ['nothing was heard', 1, []],
  ['it hears itself', 1, [own, own]],
  ['peers fell silent three heartbeats ago', 3, [own, 'a', 'b', 'a', own, own, own]],
  ['one of them was late', 2, [own, 'a', 'b', 'a', own, own, own, 'b', own]],
  ['heartbeats are made up', 1_000, Array.from({ length: 5_000 }, (_, i) => `made up ${i}`)],
])('if %s, there are %i', (_, count, heard) => {
  expect(countOf(...heard).count()).toBe(count);
});

test('a peer is new when it is first heard, and does not count after its goodbye until it is heard again', () => {
  const replicas = countOf(own);
  expect(['a', 'a', own, 'b'].map((id) => replicas.hear(id))).toEqual([true, false, false, true]);
  replicas.forget('a');
  expect(replicas.count()).toBe(2);
  expect(replicas.hear('a')).toBe(true);
  expect(replicas.count()).toBe(3);
});

test('while nothing is heard, the last count stays, however long that is', async () => {
  const replicas = countOf(own, 'a', 'b');
  await clock.advance(3_600_000);
  expect([replicas.count(), replicas.silentMs()]).toEqual([3, 3_600_000]);
  // Postgres is back, and this replica's heartbeat happens to come first.
  replicas.hear(own);
  expect([replicas.count(), replicas.silentMs()]).toEqual([3, 0]);
});
