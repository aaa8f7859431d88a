import { openTcpProxy, startServer } from '@animal-store/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openBrowserWithClient } from '../browser-with-client.ts';
import { anySituation, play } from '../call-patterns.ts';
import { createConsumer } from '../consumer.ts';

// biome-ignore lint/style/noProcessEnv: `npm run campaign` says so
const { CAMPAIGN_SEED = '1', CAMPAIGN_MINUTES = '1' } = process.env;

test('no pattern of calls gets the key banned, or adds an animal twice', async () => {
  const property = fc.asyncProperty(
    anySituation,
    async (situation) => void (await play(situation)),
  );
  const [seed, interruptAfterTimeLimit] = [
    Number(CAMPAIGN_SEED),
    60_000 * Number(CAMPAIGN_MINUTES),
  ];
  await fc.assert(property, { seed, numRuns: 1e6, interruptAfterTimeLimit });
}, 0);

// A browser has six connections to a host, and lets the other requests wait.
test('the real service, 80 ms away, bans no Free key for 200 calls at once in Chromium', async () => {
  await using service = await startServer();
  const { hostname: host, port } = new URL(service.baseUrl);
  await using network = await openTcpProxy({ target: { host, port: Number(port) } });
  network.delay(40);
  const apiKey = service.demoKey ?? expect.unreachable('the first start prints a key');
  // Nobody waits for the reset, so every call ends at once.
  const options = { baseUrl: network.via(service.baseUrl), apiKey, maxRetryAfterMs: 0 };
  await using consumer = await createConsumer();
  await using browser = await openBrowserWithClient(consumer);
  const answered = await browser.evaluate(`
    const store = client.createClient(${JSON.stringify(options)});
    const calls = Array.from({ length: 200 }, () => store.listPets());
    const results = await Promise.allSettled(calls);
    return results.filter(({ status }) => status === 'fulfilled').length;
  `);
  // All of the minute was used, and the next request is denied, but not banned.
  expect(answered).toBe(60);
  const headers = { Authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${service.baseUrl}/pets`, { headers });
  expect(await response.json()).toMatchObject({ code: 'rate_limit_exceeded' });
});
