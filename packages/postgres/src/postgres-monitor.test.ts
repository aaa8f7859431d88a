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
 * Creates a monitor in which the test decides when searches and pauses end. `endPause` advances the
 * clock by the longest possible pause.
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

test('the monitor searches for a Postgres server once after many simultaneous failures, and searches again after a pause when another failure follows', async () => {
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

test('while the monitor finds no Postgres server, it refuses new connections immediately and keeps looking', async () => {
  const { monitor, searches, find, endPause } = createTestMonitor();
  monitor.suspect(refused);
  await find(Promise.reject(refused));
  await expect(monitor.target()).rejects.toMatchObject({ code: refused.code });
  await endPause();
  // While the next search is running, the monitor still refuses new connections.
  await expect(monitor.target()).rejects.toMatchObject({ code: refused.code });
  await find(primary);
  expect(await monitor.target()).toEqual(primary.address);
  await endPause();
  expect(searches).toHaveLength(2);
});

test('the monitor uses a read-only Postgres server, but keeps searching until it finds a writable server', async () => {
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

// When the connection for LISTEN is lost, the driver waits for `whenFound` and then opens the
// connection again. The promise resolves only after a pause. Otherwise there would be an endless
// loop while Postgres accepts one connection, which the monitor uses, and refuses the next one.
test('the promise of `monitor.whenFound` resolves after a pause, and not before the monitor has found a Postgres server', async () => {
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

test('a closed monitor stops searching for a Postgres server, and refuses new connections', async () => {
  const { monitor, searches, find, endPause } = createTestMonitor();
  monitor.suspect(refused);
  await find(Promise.reject(refused));
  monitor.close();
  await endPause();
  expect(searches).toHaveLength(1);
  await expect(monitor.target()).rejects.toMatchObject({ code: 'CONNECTION_ENDED' });
});

test('the monitor closes connections to a read-only Postgres server when the URL requires a writable server', async () => {
  const { monitor, onReplaced, endPause, find } = createTestMonitor();
  monitor.suspect(new DatabaseUnavailableError(readOnly));
  void find(Promise.reject(new DatabaseUnavailableError(readOnly)));
  await expect(monitor.target()).rejects.toMatchObject({ code: readOnly });
  expect(onReplaced).toHaveBeenCalledOnce();
  await endPause();
  await find(primary);
  expect(await monitor.target()).toEqual(primary.address);
});
