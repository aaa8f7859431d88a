import { openTcpProxy, type Server, startServer } from '@animal-store/testkit';
import fc from 'fast-check';
import { Agent, fetch as undiciFetch } from 'undici';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type FetchFunction } from '../../src/index.ts';
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

describe('the real service, 80 ms away, bans no Free key', () => {
  /** Nobody waits for the reset, so every call ends at once. */
  const impatient = { maxRetryAfterMs: 0 };
  let service: Server;
  let options: { baseUrl: string; apiKey: string };

  beforeEach(async () => {
    service = await startServer();
    const { hostname: host, port } = new URL(service.baseUrl);
    const network = await openTcpProxy({ target: { host, port: Number(port) } });
    network.delay(40);
    const apiKey = service.demoKey ?? expect.unreachable('the first start prints a key');
    options = { baseUrl: network.via(service.baseUrl), apiKey, ...impatient };
    return async () => {
      await network[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    };
  });

  /** Expects that all of the minute was used, and that the next request is denied, but not banned. */
  async function expectDenied(answered: unknown) {
    expect(answered).toBe(60);
    const headers = { Authorization: `Bearer ${options.apiKey}` };
    const response = await fetch(`${service.baseUrl}/pets`, { headers });
    expect(await response.json()).toMatchObject({ code: 'rate_limit_exceeded' });
  }

  test('for 300 calls at once through six connections', async () => {
    const dispatcher = new Agent({ connections: 6 });
    onTestFinished(() => dispatcher.close());
    const sixConnections: FetchFunction = (url, init) => undiciFetch(url, { ...init, dispatcher });
    const store = createClient({ ...options, fetch: sixConnections });
    const calls = Array.from({ length: 300 }, () => store.listPets());
    const results = await Promise.allSettled(calls);
    await expectDenied(results.filter(({ status }) => status === 'fulfilled').length);
  });

  test('for 200 calls at once in Chromium', async () => {
    await using consumer = await createConsumer();
    await using browser = await openBrowserWithClient(consumer);
    const answered = await browser.evaluate(`
      const store = client.createClient(${JSON.stringify(options)});
      const calls = Array.from({ length: 200 }, () => store.listPets());
      const results = await Promise.allSettled(calls);
      return results.filter(({ status }) => status === 'fulfilled').length;
    `);
    await expectDenied(answered);
  });
});
