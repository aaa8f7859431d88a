import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, test } from 'vitest';
import { paceScrapes } from './pace-scrapes.ts';

// Regression: when sixteen clients scraped the metrics in a loop, list requests of callers took
// twenty times as long.
test('paceScrapes reads the metrics once for all scrapes that arrive during a pause, and never returns metrics that are older than the scrape', async () => {
  const clock = createTestClock();
  let shown = 0;
  const scrape = paceScrapes(async () => {
    shown += 1;
    return shown;
  }, clock);
  expect(await scrape()).toBe(1);
  const flood = Promise.all(Array.from({ length: 100 }, scrape));
  await clock.advance(49);
  expect(shown).toBe(1);
  await clock.advance(1);
  expect(await flood).toEqual(Array(100).fill(2));
  await clock.advance(50);
  expect(await scrape()).toBe(3);
});

test('paceScrapes reads the metrics again for the next scrape after a scrape has failed', async () => {
  const clock = createTestClock();
  let shown = 0;
  const scrape = paceScrapes(async () => {
    shown += 1;
    if (shown === 1) throw new Error('away');
    return shown;
  }, clock);
  await expect(scrape()).rejects.toThrow('away');
  const second = scrape();
  await clock.advance(50);
  expect(await second).toBe(2);
});
