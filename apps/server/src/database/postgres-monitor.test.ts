import { expect, test } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import { DatabaseUnavailableError, readOnly } from './database-error.ts';
import type { FoundPostgres } from './find-postgres.ts';
import { createPostgresMonitor } from './postgres-monitor.ts';

const addressOf = (host: string) => ({ host, port: 5432, path: undefined });
const primary: FoundPostgres = { address: addressOf('primary'), isWritable: true };
const standby: FoundPostgres = { address: addressOf('standby'), isWritable: false };
const refused = new DatabaseUnavailableError('ECONNREFUSED');

/** A monitor whose searches and pauses end when the test says so. A pause varies by half. */
function createTestMonitor() {
  const searches: PromiseWithResolvers<FoundPostgres>[] = [];
  const clock = createTestClock();
  const events: string[] = [];
  const monitor = createPostgresMonitor({
    first: addressOf('first'),
    find() {
      const search = Promise.withResolvers<FoundPostgres>();
      searches.push(search);
      return search.promise;
    },
    onReplaced: () => events.push('replaced'),
    pauseMs: 250,
    clock,
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    monitor,
    events,
    searches,
    async find(found: FoundPostgres) {
      searches.at(-1)?.resolve(found);
      await settled();
    },
    async findNothing() {
      searches.at(-1)?.reject(refused);
      await settled();
    },
    endPause: () => clock.advance(375),
  };
}

test('many failures begin one search, and new connections wait for its result', async () => {
  const { monitor, searches, find } = createTestMonitor();
  expect(await monitor.target()).toEqual(addressOf('first'));
  expect(searches).toHaveLength(0);
  for (let i = 0; i < 100; i += 1) monitor.suspect(refused);
  const targets = Promise.all([monitor.target(), monitor.target()]);
  await find(primary);
  expect(await targets).toEqual([primary.address, primary.address]);
  expect(searches).toHaveLength(1);
});

test('while no Postgres is found, new connections fail at once and the search is repeated', async () => {
  const { monitor, searches, find, findNothing, endPause } = createTestMonitor();
  monitor.suspect(refused);
  await findNothing();
  await expect(monitor.target()).rejects.toMatchObject({ code: refused.code });
  await endPause();
  // Also while the next search is under way.
  await expect(monitor.target()).rejects.toMatchObject({ code: refused.code });
  await find(primary);
  expect(await monitor.target()).toEqual(primary.address);
  await endPause();
  expect(searches).toHaveLength(2);
});

test('a read-only Postgres is used, and the search goes on until a writable one is found', async () => {
  const { monitor, events, find, endPause, searches } = createTestMonitor();
  monitor.suspect(refused);
  await find(standby);
  expect(await monitor.target()).toEqual(standby.address);
  expect(events).toEqual([]);
  await endPause();
  await find(primary);
  expect(await monitor.target()).toEqual(primary.address);
  expect(events).toEqual(['replaced']);
  await endPause();
  expect(searches).toHaveLength(2);
});

test('a failure during the pause after a search begins another one', async () => {
  const { monitor, searches, find, endPause } = createTestMonitor();
  monitor.suspect(refused);
  await find(primary);
  monitor.suspect(refused);
  expect(searches).toHaveLength(1);
  await endPause();
  expect(searches).toHaveLength(2);
});

// The connection that listens is wanted again as soon as it is lost: a loop of connections otherwise, if
// Postgres refuses it and answers the search, as with one connection left.
test('who waits for a Postgres waits for a pause, and then until one is found', async () => {
  const { monitor, find, findNothing, endPause } = createTestMonitor();
  const found: string[] = [];
  void monitor.whenFound().then(() => found.push('nothing has failed'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(found).toEqual([]);
  await endPause();
  expect(found).toHaveLength(1);
  monitor.suspect(refused);
  await findNothing();
  void monitor.whenFound().then(() => found.push('Postgres is away'));
  await endPause();
  expect(found).toHaveLength(1);
  await find(primary);
  await endPause();
  expect(found).toHaveLength(2);
});

test('a closed monitor searches no more, and refuses connections', async () => {
  const { monitor, searches, findNothing, endPause } = createTestMonitor();
  monitor.suspect(refused);
  await findNothing();
  monitor.close();
  await endPause();
  expect(searches).toHaveLength(1);
  await expect(monitor.target()).rejects.toMatchObject({ code: 'CONNECTION_ENDED' });
});

test('if only a read-only one is there and may not be used, connections to it are closed', async () => {
  const { monitor, events, searches, endPause, find } = createTestMonitor();
  monitor.suspect(new DatabaseUnavailableError(readOnly));
  searches[0]?.reject(new DatabaseUnavailableError(readOnly));
  await expect(monitor.target()).rejects.toMatchObject({ code: readOnly });
  expect(events).toEqual(['replaced']);
  await endPause();
  await find(primary);
  expect(await monitor.target()).toEqual(primary.address);
});
