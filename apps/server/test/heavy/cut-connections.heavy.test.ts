import { expect, test } from 'vitest';
import { cutConnections } from '../database/cut-connections.ts';

// biome-ignore lint/style/noProcessEnv: whoever looks for a fault may repeat a seed, or run for hours
const { CUT_SEED, CUT_MINUTES } = process.env;

test('connections of three replicas are cut at every message, many times over', async () => {
  const seed = Number(CUT_SEED ?? 1);
  const endsAt = performance.now() + Number(CUT_MINUTES) * 60_000;
  const goesOn = (passes: number) =>
    CUT_MINUTES === undefined ? passes < 4 : performance.now() < endsAt;
  const done = await cutConnections({ seed, replicas: 3, goesOn });
  process.stdout.write(`${JSON.stringify(done)}\n`);
  expect(done.cuts).toBeGreaterThan(100);
});
