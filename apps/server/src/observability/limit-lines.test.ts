import { expect, test } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import { limitToMinutes } from './limit-lines.ts';

test('the first event of each cause is told at once, and the others of a minute together', async () => {
  const told: [cause: string, times: number][] = [];
  const clock = createTestClock();
  const events = limitToMinutes<string>(clock, (cause, times) => told.push([cause, times]));
  for (let i = 0; i < 1_000; i += 1) events.note('MAX_CONNECTIONS');
  events.note('open_files');
  await clock.advance(59_999);
  events.note('MAX_CONNECTIONS');
  expect(told.splice(0)).toEqual([
    ['MAX_CONNECTIONS', 1],
    ['open_files', 1],
  ]);
  await clock.advance(1);
  expect(told.splice(0)).toEqual([['MAX_CONNECTIONS', 1_000]]);
  events.note('MAX_CONNECTIONS');
  events.close();
  expect(told).toEqual([['MAX_CONNECTIONS', 1]]);
});
