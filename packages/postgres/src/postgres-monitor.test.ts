import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, test, vi } from 'vitest';
import { DatabaseUnavailableError, readOnly } from './database-error.ts';
import type { FoundPostgres } from './find-postgres.ts';
import { createPostgresMonitor } from './postgres-monitor.ts';

const addressOf = (host: string) => ({ host, port: 5432, path: undefined });
const primary: FoundPostgres = { address: addressOf('primary'), isWritable: true };
const standby: FoundPostgres = { address: addressOf('standby'), isWritable: false };
const refused = new DatabaseUnavailableError('ECONNREFUSED');

/**
 * Creates a monitor whose searches and pauses end when the test decides. A pause varies by half.
 */
function createTestMonitor() {
  const searches: PromiseWithResolvers<FoundPostgres>[] = [];
  const clock = createTestClock();
  const onReplaced = vi.fn();
  const monitor = createPostgresMonitor({
    first: addressOf('first'),
    find() {
      const search = Promise.withResolvers<FoundPostgres>();
      searches.push(search);
      return search.promise;
    },
    onReplaced,
    pauseMs: 250,
    clock,
  });
  return {
    monitor,
    onReplaced,
    searches,
    async find(found: FoundPostgres | Promise<never>) {
      searches.at(-1)?.resolve(found);
      await clock.advance(0);
    },
    endPause: () => clock.advance(375),
  };
}

test('many failures start one search, and a failure in the pause after it starts another', async () => {
  const { monitor, searches, find, endPause } = createTestMonitor();
  expect(await monitor.target()).toEqual(addressOf('first'));
  expect(searches).toHaveLength(0);
  for (let i = 0; i < 100; i += 1) monitor.suspect(refused);
  const targets = Promise.all([monitor.target(), monitor.target()]);
  await find(primary);
  expect(await targets).toEqual([primary.address, primary.address]);
  monitor.suspect(refused);
  expect(searches).toHaveLength(1);
  await endPause();
  expect(searches).toHaveLength(2);
});

test('while no Postgres is found, new connections fail at once and the search is repeated', async () => {
  const { monitor, searches, find, endPause } = createTestMonitor();
  monitor.suspect(refused);
  await find(Promise.reject(refused));
  await expect(monitor.target()).rejects.toMatchObject({ code: refused.code });
  await endPause();
  // This also holds while the next search runs.
  await expect(monitor.target()).rejects.toMatchObject({ code: refused.code });
  await find(primary);
  expect(await monitor.target()).toEqual(primary.address);
  await endPause();
  expect(searches).toHaveLength(2);
});

test('a read-only Postgres is used, and the search continues until a writable one is found', async () => {
  const { monitor, onReplaced, find, endPause, searches } = createTestMonitor();
  monitor.suspect(refused);
  await find(standby);
  expect(await monitor.target()).toEqual(standby.address);
  expect(onReplaced).not.toHaveBeenCalled();
  await endPause();
  await find(primary);
  expect(await monitor.target()).toEqual(primary.address);
  expect(onReplaced).toHaveBeenCalledOnce();
  await endPause();
  expect(searches).toHaveLength(2);
});

// The listening connection reconnects as soon as it is lost. If Postgres refuses it but responds to
// the search, this would be an endless loop, for example when only one connection is left.
test('whenFound waits for a pause, and then until a Postgres is found', async () => {
  const { monitor, find, endPause } = createTestMonitor();
  const found: string[] = [];
  void monitor.whenFound().then(() => found.push('nothing has failed'));
  await nextTurn();
  expect(found).toEqual([]);
  await endPause();
  expect(found).toHaveLength(1);
  monitor.suspect(refused);
  await find(Promise.reject(refused));
  void monitor.whenFound().then(() => found.push('Postgres is down'));
  await endPause();
  expect(found).toHaveLength(1);
  await find(primary);
  await endPause();
  expect(found).toHaveLength(2);
});

test('a closed monitor stops searching, and refuses connections', async () => {
  const { monitor, searches, find, endPause } = createTestMonitor();
  monitor.suspect(refused);
  await find(Promise.reject(refused));
  monitor.close();
  await endPause();
  expect(searches).toHaveLength(1);
  await expect(monitor.target()).rejects.toMatchObject({ code: 'CONNECTION_ENDED' });
});

test('connections to a read-only Postgres are closed when it may not be used', async () => {
  const { monitor, onReplaced, endPause, find } = createTestMonitor();
  monitor.suspect(new DatabaseUnavailableError(readOnly));
  void find(Promise.reject(new DatabaseUnavailableError(readOnly)));
  await expect(monitor.target()).rejects.toMatchObject({ code: readOnly });
  expect(onReplaced).toHaveBeenCalledOnce();
  await endPause();
  await find(primary);
  expect(await monitor.target()).toEqual(primary.address);
});
