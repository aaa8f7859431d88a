import { expect, inject, test } from 'vitest';
import { cutConnections } from '../database/cut-connections.ts';

test('three replicas respond correctly or with 503 when their connections to Postgres are cut before, within or after any protocol message', async () => {
  const { seed, minutes } = inject('campaign');
  const endsAt = performance.now() + minutes * 60_000;
  const goesOn = (passes: number) => passes === 0 || performance.now() < endsAt;
  const done = await cutConnections({ seed, replicas: 3, goesOn });
  process.stdout.write(`${JSON.stringify(done)}\n`);
  expect(done.cuts).toBeGreaterThan(100);
});
