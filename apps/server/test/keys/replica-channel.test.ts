import { until } from '@animal-store/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OpenDatabase } from '../../src/database/database.ts';
import { announceKeyChange, openReplicaChannel } from '../../src/replicas/replica-channel.ts';
import { createDatabase } from '../support/databases.ts';

// One replica, and a client of Postgres that speaks for another one.

const stack = new AsyncDisposableStack();
let database: OpenDatabase;
let peer: postgres.Sql;
/** What the subscribers were told. Heartbeats of this replica come whenever they like, and are left out. */
let told: unknown[][] = [];
/** What was sent. */
const sent: string[] = [];
/** What tests have sent of it. */
const ofPeers = new Set<string>();

beforeAll(async () => {
  const { env, open, ...created } = await createDatabase('postgres');
  stack.use(created);
  database = await open();
  stack.defer(() => database.close());
  peer = postgres(env['DATABASE_URL'] ?? '', { max: 1 });
  stack.defer(() => peer.end());
  await peer.listen('animal_store_keys', (payload) => sent.push(payload));
  const tell =
    (subject: string) =>
    (...about: unknown[]) => {
      if (about[0] !== 'own') told.push([subject, ...about]);
      return false;
    };
  const channel = await openReplicaChannel(database, {
    id: 'own',
    subscribers: {
      keyChanged: tell('keyChanged'),
      accountChanged: tell('accountChanged'),
      seen: tell('seen'),
      left: tell('left'),
      missed: tell('missed'),
    },
  });
  stack.defer(() => channel.close());
});
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  told = [];
});

/** What the subscribers are told of messages. */
async function toldOf(...messages: readonly (object | string)[]): Promise<unknown[][]> {
  for (const message of [...messages, { keyId: 'end' }]) {
    const payload = typeof message === 'string' ? message : JSON.stringify(message);
    ofPeers.add(payload);
    await peer.notify('animal_store_keys', payload);
  }
  await until(() => told.some(([, about]) => about === 'end'));
  return told.slice(0, -1);
}

test('the subscriber of each subject is told what another replica says about it', async () => {
  const heartbeat = { keyId: '', replica: 'peer', leaving: false };
  expect(
    await toldOf(
      heartbeat,
      // As of a version before.
      { ...heartbeat, traffic: { seconds: 60, outcomes: [1], latencies: [1] }, usageAsked: true },
      { ...heartbeat, leaving: true },
    ),
  ).toEqual([
    ['seen', 'peer'],
    ['seen', 'peer'],
    ['left', 'peer'],
  ]);
});

test('a change that a transaction announces is told once it is committed', async () => {
  await database.db.transaction(async (tx) => {
    await announceKeyChange(tx, 'changed');
  });
  expect(await toldOf()).toEqual([['keyChanged', 'changed']]);
});

test('the messages of version 1.0.0 are understood', async () => {
  expect(await toldOf('', { keyId: 'key' }, { keyId: 'key', pardoned: true })).toEqual([
    ['keyChanged', 'key'],
    ['keyChanged', 'key'],
  ]);
});

// Version 1.0.0 forgets everything that it has cached after a message without a `keyId`.
test('version 1.0.0 understands every message: heartbeats are about the key that nobody has', async () => {
  await until(() => sent.some((payload) => payload.includes('"replica":"own"')));
  await announceKeyChange(database.db, 'own change');
  // Each listens on a connection of its own. What this one hears later would be told to the next test.
  await until(() => sent.some((payload) => payload.includes('own change')));
  await until(() => told.some(([, about]) => about === 'own change'));
  const own = sent.filter((payload) => !ofPeers.has(payload));
  const read = own.map((payload) => JSON.parse(payload));
  expect(read).toContainEqual({
    keyId: '',
    replica: 'own',
    leaving: false,
  });
  expect(read).toContainEqual({ keyId: 'own change' });
  expect(read.filter(({ keyId }) => typeof keyId !== 'string')).toEqual([]);
});

test('whatever was not understood may have been about any key', async () => {
  expect(await toldOf('not JSON', { replica: 'peer' }, 'null')).toEqual([
    ['missed'],
    ['missed'],
    ['missed'],
  ]);
});
