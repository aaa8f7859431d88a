import { expect, test } from 'vitest';
import { growthOf } from '../load/memory.ts';
import { startService } from '../support/test-service.ts';
import { checkUnharmed, fuzzedEnv, fuzzWire } from '../wire/wire-fuzz.ts';

const rounds = 6;
const connectionsPerRound = 250;
// `run-wire-fuzz.ts` tries others.
const seed = 1;

test('whatever clients do to their connections, the service stays up and holds on to nothing', async () => {
  await using service = await startService('postgres', { env: fuzzedEnv });
  const { server, tokens } = service;
  const token = tokens.enterprise;
  const held: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const connections = connectionsPerRound;
    await fuzzWire({ server, token, seed: seed + round, connections }).catch((cause: unknown) => {
      throw new Error(`Seed ${seed}, round ${round}`, { cause });
    });
    held.push(await checkUnharmed(server, token));
  }
  expect(growthOf(held), `Seed ${seed}: ${held.join(', ')} bytes`).toMatchObject({ isFlat: true });
});
