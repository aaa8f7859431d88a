import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Episode, watchAvailability } from './availability.ts';
import type { Database } from './database.ts';
import { statement } from './statement.ts';

const db = {} as Database;
/** A statement that succeeds, or fails with a code of the driver. */
const run = async (name: string, code?: string) => {
  const query = statement(name, async () => {
    if (code !== undefined) throw Object.assign(new Error(), { code });
  });
  await query(db).catch(() => {});
};

let now = 0;
let events: (string | Episode)[] = [];
let availability: ReturnType<typeof watchAvailability>;

beforeEach(() => {
  now = 0;
  events = [];
  availability = watchAvailability({
    onBegin: (episode) => events.push('begin', episode),
    onEnd: (episode) => events.push('end', episode),
    now: () => now,
  });
});
afterEach(() => availability.close());

const full: Episode = { code: '53100', reason: 'The disk of the database is full.' };

test('many failures for one reason are told once, with their code and its meaning', async () => {
  for (let i = 0; i < 100; i += 1) await run('create', '53100');
  expect(events).toEqual(['begin', full]);
  expect(availability.episode()).toEqual(full);
});

// Connections that were lost hid that the next ones led to a standby.
test('another reason in the same episode is told, too, and no reason twice', async () => {
  const lost: Episode = { code: '08006', reason: 'The connection to the database was lost.' };
  for (const code of ['08006', '53100', '08006']) await run('create', code);
  expect(events).toEqual(['begin', lost, 'begin', full]);
  expect(availability.episode()).toEqual(full);
  now += 1_000;
  await run('create');
  expect(events.slice(4)).toEqual(['end', full]);
});

test('an episode ends when a statement that failed in it succeeds', async () => {
  await run('create', '53100');
  now += 1_000;
  await run('list');
  expect(availability.episode()).toEqual(full);
  await run('create');
  expect(events).toEqual(['begin', full, 'end', full]);
  expect(availability.episode()).toBeUndefined();
});

// One slow search of an operator left the replica degraded until somebody searched again.
test('an episode without a failure for a minute ends with any statement', async () => {
  await run('search keys', '57014');
  now += 59_999;
  await run('list');
  expect(availability.episode()?.code).toBe('57014');
  now += 1;
  await run('list');
  expect(availability.episode()).toBeUndefined();
});

test('a success within a second of a failure does not end it', async () => {
  await run('create', '53100');
  now += 999;
  await run('create');
  expect(availability.episode()).toEqual(full);
});

test('errors of a statement itself begin none', async () => {
  await run('create', '23505');
  expect(events).toEqual([]);
});
