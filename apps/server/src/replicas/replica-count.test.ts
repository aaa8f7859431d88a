import { expect, test } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createReplicaCount } from './replica-count.ts';

const ownId = 'own';
const clock = createTestClock();

/** A count in which every replica has sent so many heartbeats, this one first. */
function countAfter(rounds: number, ...peers: readonly string[]) {
  const replicas = createReplicaCount({ id: ownId, clock });
  for (let i = 0; i < rounds; i += 1) for (const id of [ownId, ...peers]) replicas.hear(id);
  return replicas;
}

test('a replica that hears nobody is alone', () => {
  expect(createReplicaCount({ clock }).count()).toBe(1);
  expect(countAfter(10).count()).toBe(1);
});

test('each peer counts once, however often it is heard', () => {
  expect(countAfter(10, 'a', 'b').count()).toBe(3);
});

test('the first heartbeat of a peer is told from its others', () => {
  const replicas = createReplicaCount({ id: ownId, clock });
  expect(['a', 'a', ownId, 'b'].map((id) => replicas.hear(id))).toEqual([true, false, false, true]);
});

test('a peer that says goodbye does not count, until it is heard again', () => {
  const replicas = countAfter(1, 'a', 'b');
  replicas.forget('a');
  expect(replicas.count()).toBe(2);
  expect(replicas.hear('a')).toBe(true);
  expect(replicas.count()).toBe(3);
});

test('a peer that falls silent counts for three more heartbeats, and one late heartbeat saves it', () => {
  const replicas = countAfter(5, 'dead', 'late');
  for (let i = 0; i < 3; i += 1) replicas.hear(ownId);
  expect(replicas.count()).toBe(3);
  replicas.hear('late');
  replicas.hear(ownId);
  expect(replicas.count()).toBe(2);
});

test('while nothing is heard, the last count stays, however long that is', async () => {
  const replicas = createReplicaCount({ id: ownId, clock });
  for (const id of [ownId, 'a', 'b']) replicas.hear(id);
  await clock.advance(3_600_000);
  expect(replicas.count()).toBe(3);
  expect(replicas.silentMs()).toBe(3_600_000);
  // Postgres is back, and this replica's heartbeat happens to come first.
  replicas.hear(ownId);
  expect(replicas.count()).toBe(3);
  expect(replicas.silentMs()).toBe(0);
});

test('made-up heartbeats do not fill the memory', () => {
  const replicas = createReplicaCount({ id: ownId, clock });
  for (let i = 0; i < 5_000; i += 1) replicas.hear(`made up ${i}`);
  expect(replicas.count()).toBe(1_000);
});
