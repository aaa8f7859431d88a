import { systemClock } from '@animal-store/runtime';
import { until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { sample, scrape } from '../support/observed.ts';
import { startService } from '../support/test-service.ts';

// The test has a file of its own, because all services of a process receive the events of failed
// SQL statements. In a shared file, the metrics of other services would count the failed statements
// of this test.

// Regression: the ops listener had already closed when the requests were counted as lost, so
// no alert could report them.
test('the service waits at shutdown until its metrics are scraped once more, so that the number of lost request counts is reported', async () => {
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
