import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, test } from 'vitest';
import { createReplicaCount } from './replica-count.ts';

const own = 'own';
const clock = createTestClock();

/** Creates a replica count that has received the given heartbeats. */
function countOf(...heard: readonly string[]) {
  const replicas = createReplicaCount({ id: own, clock });
  for (const id of heard) replicas.recordHeartbeat(id);
  return replicas;
}

test.each<[what: string, count: number, heard: string[]]>([
  ['no heartbeat', 1, []],
  ['its own heartbeats', 1, [own, own]],
  ['three own heartbeats without one of another replica', 3, [own, 'a', 'b', 'a', own, own, own]],
  [
    'four own heartbeats without one of replica a',
    2,
    [own, 'a', 'b', 'a', own, own, own, 'b', own],
  ],
  ['5,000 invented heartbeats', 1_000, Array.from({ length: 5_000 }, (_, i) => `made up ${i}`)],
])(
  'createReplicaCount counts the replicas that send heartbeats: after %s, the count is %i',
  (_, count, heard) => {
    expect(countOf(...heard).count()).toBe(count);
  },
);

test('the function `recordHeartbeat` returns true for the first heartbeat of another replica, and again for its first heartbeat after a restart', () => {
  const replicas = countOf(own);
  expect(['a', 'a', own, 'b'].map((id) => replicas.recordHeartbeat(id))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  replicas.forget('a');
  expect(replicas.count()).toBe(2);
  expect(replicas.recordHeartbeat('a')).toBe(true);
  expect(replicas.count()).toBe(3);
});

test('createReplicaCount keeps its count of replicas while no heartbeats arrive from any replica', async () => {
  const replicas = countOf(own, 'a', 'b');
  await clock.advance(3_600_000);
  expect([replicas.count(), replicas.silentMs()]).toEqual([3, 3_600_000]);
  // When Postgres is available again, this replica first receives its own heartbeat. The count must
  // not drop although no heartbeat of another replica has arrived yet.
  replicas.recordHeartbeat(own);
  expect([replicas.count(), replicas.silentMs()]).toEqual([3, 0]);
});
