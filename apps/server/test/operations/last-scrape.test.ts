import { systemClock } from '@animal-store/runtime';
import { until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { sample, scrape } from '../support/observed.ts';
import { startService } from '../support/test-service.ts';

// A file of its own: a service beside it would hear of the failed statements, which a process publishes for all.

// The operators' listener had closed before they were counted, so no alert could know.
test('the last scrape shows the requests that a stop without Postgres loses', async () => {
  await using stopped = await startService('postgres', {
    clock: systemClock,
    usage: { flushMs: 60_000 },
    ops: { lastScrapeMs: 60_000 },
  });
  const { server, database } = stopped;
  await stopped.call('/pets');
  const lost = async () => sample(await scrape(server), 'animal_store_usage_lost_requests_total');
  expect(await lost()).toBe(0);
  await database[Symbol.asyncDispose]();
  const stopping = server.stop();
  await until(async () => (await lost()) === 1);
  await stopping;
});
