import { beforeEach, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import type { Actor } from '../operators/operator-lookup.ts';
import { createGuessLimit } from './limit-guesses.ts';

const ann: Actor = { type: 'operator', id: 'ann', name: 'Ann', role: 'owner' };

let clock: TestClock;
let limit: ReturnType<typeof createGuessLimit>;
let lookUps: string[];
/** How often the hashes of all valid tokens were read. */
let reads: number;

beforeEach(() => {
  clock = createTestClock();
  lookUps = [];
  reads = 0;
  limit = createGuessLimit({
    clock,
    readHashesMs: 1_000,
    async readHashes() {
      reads += 1;
      return new Set(['hash of right']);
    },
  });
});

const send = (token: string, network: string, actor?: Actor) =>
  limit.find(network, {
    hashes: [`hash of ${token}`],
    async lookUp() {
      lookUps.push(token);
      return actor;
    },
  });

/** Sends wrong tokens at once, and waits until all are answered. */
async function sendMany(tokens: number, network = 'theirs') {
  const answers = Array.from({ length: tokens }, (_, n) => send(`wrong ${n}`, network));
  await clock.advance(1_000);
  return Promise.all(answers);
}

test('of wrong tokens that arrive at once, ten are looked up', async () => {
  const answers = await sendMany(100);
  expect(lookUps).toHaveLength(10);
  expect(answers.filter(({ waitMs }) => waitMs === undefined)).toHaveLength(10);
});

test('of later ones, none is looked up: the hashes of all valid tokens are read once a second', async () => {
  for (const seconds of [1, 2, 3]) {
    await sendMany(100);
    expect(lookUps).toHaveLength(10);
    expect(reads).toBe(seconds);
  }
});

test('a valid token passes within a second, whatever its network has sent', async () => {
  await sendMany(100);
  const others = sendMany(100);
  expect(await send('right', 'theirs', ann)).toEqual({ actor: ann });
  await others;
  expect(reads).toBe(2);
});

test('a token that was valid before does not wait', async () => {
  expect(await send('right', 'theirs', ann)).toEqual({ actor: ann });
  await sendMany(100);
  for (let n = 0; n < 20; n += 1) {
    expect(await send('right', 'theirs', ann)).toEqual({ actor: ann });
  }
});

test('a token that was valid before is a wrong one once it is revoked, and a guess when it is sent again', async () => {
  await send('right', 'theirs', ann);
  expect(await send('right', 'theirs')).toEqual({});
  expect(await send('right', 'theirs')).toEqual({ waitMs: undefined });
  await sendMany(100);
  expect(lookUps.filter((token) => token !== 'right')).toHaveLength(9);
});

test('whoever sends a token that is revoked learns so, whatever their network has sent', async () => {
  await send('right', 'theirs', ann);
  await sendMany(100);
  expect(await send('right', 'theirs')).toEqual({});
  const again = send('right', 'theirs');
  await clock.advance(1_000);
  expect((await again).waitMs).toBeGreaterThan(0);
});

test('a valid token that is new to the replica passes in many requests at once', async () => {
  const answers = Array.from({ length: 50 }, () => send('right', 'theirs', ann));
  await clock.advance(1_000);
  expect(await Promise.all(answers)).toEqual(Array(50).fill({ actor: ann }));
  const guesses = await sendMany(10);
  expect(guesses.filter(({ waitMs }) => waitMs === undefined)).toHaveLength(10);
});

test('wrong tokens of one network do not limit another one', async () => {
  await sendMany(100);
  expect(await send('right', 'ours', ann)).toEqual({ actor: ann });
});
