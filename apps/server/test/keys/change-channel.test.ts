import type { OpenDatabase } from '@animal-store/postgres';
import { until } from '@animal-store/testkit';
import type postgres from 'postgres';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { announceKeyChange, openChangeChannel } from '../../src/replicas/change-channel.ts';
import { connectTo, createDatabase } from '../support/databases.ts';

// The tests use one replica of the service, and a Postgres client that sends messages as another
// replica would.

let database: OpenDatabase;
let peer: postgres.Sql;
/**
 * The calls of the functions in `subscribers`. The channel calls these functions when it receives a
 * message. Heartbeats of this replica are left out, because they arrive at any time.
 */
let calls: unknown[][] = [];
/** The messages that this replica has sent to the channel. */
const sent: string[] = [];

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const { url, open } = stack.use(await createDatabase('postgres'));
  database = await open();
  stack.defer(() => database.close());
  peer = stack.use(connectTo(url));
  await peer.listen('animal_store_keys', (payload) => sent.push(payload));
  const tell = (subject: string) => (about?: unknown) => {
    if (about !== 'own') calls.push(about === undefined ? [subject] : [subject, about]);
    return false;
  };
  const subjects = [
    'keyChanged',
    'accountChanged',
    'replicaSeen',
    'replicaLeft',
    'messagesMissed',
  ] as const;
  const subscribers = Object.fromEntries(subjects.map((subject) => [subject, tell(subject)]));
  const channel = await openChangeChannel(database, {
    id: 'own',
    subscribers: subscribers as Record<(typeof subjects)[number], () => false>,
  });
  stack.defer(() => channel.close());
  const kept = stack.move();
  return () => kept.disposeAsync();
});
beforeEach(() => {
  calls = [];
});

/** Sends messages, and returns the calls of `subscribers` that the messages cause. */
async function callsAfter(...messages: readonly (object | string)[]): Promise<unknown[][]> {
  for (const message of [...messages, { keyId: 'end' }]) {
    const payload = typeof message === 'string' ? message : JSON.stringify(message);
    await peer.notify('animal_store_keys', payload);
  }
  await until(() => calls.some(([, about]) => about === 'end'));
  return calls.slice(0, -1);
}

const heartbeat = { keyId: '', replica: 'peer', leaving: false };

test.each<[what: string, messages: (object | string)[], calls: unknown[][]]>([
  [
    'heartbeats',
    [heartbeat, { ...heartbeat, leaving: true }],
    [
      ['replicaSeen', 'peer'],
      ['replicaLeft', 'peer'],
    ],
  ],
  // Earlier versions send these additional JSON properties.
  [
    'unknown properties of a message',
    [{ ...heartbeat, traffic: {}, usageAsked: true }],
    [['replicaSeen', 'peer']],
  ],
  [
    'messages of version 1.0.0',
    ['', { keyId: 'key' }, { keyId: 'key', pardoned: true }],
    [
      ['keyChanged', 'key'],
      ['keyChanged', 'key'],
    ],
  ],
  // The replica cannot read an invalid message, which may be about any API key. So the channel
  // calls `messagesMissed`, as if messages had been lost.
  [
    'invalid messages',
    ['not JSON', { replica: 'peer' }, 'null'],
    [['messagesMissed'], ['messagesMissed'], ['messagesMissed']],
  ],
])(
  'openChangeChannel calls the right subscribers for each kind of message: %s',
  async (_, messages, expected) => {
    expect(await callsAfter(...messages)).toEqual(expected);
  },
);

test('openChangeChannel notifies subscribers of a change only after the transaction of the change has committed', async () => {
  await database.db.transaction(async (tx) => {
    await announceKeyChange(tx, 'changed');
  });
  expect(await callsAfter()).toEqual([['keyChanged', 'changed']]);
});

// A message without a `keyId` would make version 1.0.0 clear its whole cache.
test('the heartbeat of a replica has an empty keyId, so that replicas of version 1.0.0 ignore the heartbeat', async () => {
  const own = () => sent.find((payload) => payload.includes('"replica":"own"'));
  await until(() => own() !== undefined);
  expect(JSON.parse(own() ?? '')).toEqual({ keyId: '', replica: 'own', leaving: false });
});
