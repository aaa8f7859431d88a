import { openTcpProxy, type Server, startServer } from '@animal-store/testkit';
import fc from 'fast-check';
import { Agent, fetch as undiciFetch } from 'undici';
import { describe, expect, test } from 'vitest';
import { createClient, type FetchFunction, isApiError } from '../../src/index.ts';
import { openBrowserWithClient } from '../browser-with-client.ts';
import { createConsumer } from '../consumer.ts';
import { play, situation } from '../never-banned.ts';

test('no pattern of calls gets the key banned, in one process or two', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async (given) => {
      const { tally } = await play(given);
      expect(tally.banned).toBe(0);
    }),
    { numRuns: 1_000 },
  );
});

/** The real service behind 80 ms of distance, with a fresh Free key: 60 requests a minute. */
async function openDistantService() {
  await using resources = new AsyncDisposableStack();
  const service: Server = resources.use(await startServer());
  const { hostname: host, port } = new URL(service.baseUrl);
  const target = { host, port: Number(port) };
  const networks = [
    resources.use(await openTcpProxy({ target })),
    resources.use(await openTcpProxy({ target })),
  ] as const;
  for (const network of networks) network.delay(40);
  const opened = resources.move();
  const apiKey = service.demoKey ?? expect.unreachable('the first start prints a key');
  return {
    baseUrl: networks[0].via(service.baseUrl),
    otherUrl: networks[1].via(service.baseUrl),
    apiKey,
    /** Asks without the client: banned, denied or admitted. */
    async ask(): Promise<string> {
      const headers = { Authorization: `Bearer ${apiKey}` };
      const response = await fetch(`${service.baseUrl}/pets`, { headers });
      const body = (await response.json()) as { code?: string };
      return body.code ?? 'admitted';
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Nobody waits for the reset, so every call ends at once. */
const impatient = { maxRetryAfterMs: 0 };

function openPool() {
  const dispatcher = new Agent({ connections: 6 });
  return {
    fetch: ((url, init) => undiciFetch(url, { ...init, dispatcher })) satisfies FetchFunction,
    [Symbol.asyncDispose]: () => dispatcher.close(),
  };
}

async function count(calls: Promise<unknown>[]) {
  const results = await Promise.allSettled(calls);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? result.reason : []));
  return {
    answered: results.length - reasons.length,
    denied: reasons.filter((error) => isApiError(error, 429) && error.attempts > 0).length,
    notSent: reasons.filter((error) => isApiError(error, 429) && error.attempts === 0).length,
  };
}

describe('a Free key is not banned', () => {
  test('by 300 calls at once through six connections', async () => {
    await using service = await openDistantService();
    await using pool = openPool();
    const { baseUrl, apiKey } = service;
    const store = createClient({ baseUrl, apiKey, fetch: pool.fetch, ...impatient });

    const calls = Array.from({ length: 300 }, () => store.listPets());
    expect(await count(calls)).toEqual({ answered: 60, denied: 0, notSent: 240 });
    expect(await service.ask()).toBe('rate_limit_exceeded');
  });

  test('by 80 clients that make one call each, after its quota was used up', async () => {
    await using service = await openDistantService();
    const { baseUrl, apiKey } = service;
    for (let used = 0; used < 60; used++) expect(await service.ask()).toBe('admitted');

    const counts = { answered: 0, denied: 0, notSent: 0 };
    for (let index = 0; index < 80; index++) {
      const { denied, notSent } = await count([
        createClient({ baseUrl, apiKey, ...impatient }).listPets(),
      ]);
      counts.denied += denied;
      counts.notSent += notSent;
    }
    expect(counts).toEqual({ answered: 0, denied: 1, notSent: 79 });
    expect(await service.ask()).toBe('rate_limit_exceeded');
  });

  test('by two processes with 150 calls each', async () => {
    await using service = await openDistantService();
    await using consumer = await createConsumer();
    await consumer.write(
      'process.mjs',
      `import { createClient, isApiError } from '@animal-store/client';
       const [baseUrl, apiKey] = process.argv.slice(2);
       const store = createClient({ baseUrl, apiKey, ...${JSON.stringify(impatient)} });
       const calls = Array.from({ length: 150 }, () => store.listPets());
       const results = await Promise.allSettled(calls);
       const denied = results.filter(({ reason }) => isApiError(reason, 429)).length;
       const answered = results.filter(({ status }) => status === 'fulfilled').length;
       console.log(JSON.stringify({ answered, denied }));`,
    );
    const { baseUrl, otherUrl, apiKey } = service;
    const counts = await Promise.all(
      [baseUrl, otherUrl].map(async (url) => {
        const output = await consumer.run(process.execPath, ['process.mjs', url, apiKey]);
        return JSON.parse(output) as { answered: number; denied: number };
      }),
    );
    expect(counts.reduce((sum, { answered }) => sum + answered, 0)).toBe(60);
    expect(counts.reduce((sum, { denied }) => sum + denied, 0)).toBe(240);
    expect(await service.ask()).toBe('rate_limit_exceeded');
  });

  test('by 200 calls at once in Chromium', async () => {
    await using service = await openDistantService();
    await using consumer = await createConsumer();
    await using browser = await openBrowserWithClient(consumer);
    const { baseUrl, apiKey } = service;
    const answered = await browser.evaluate(`
      const store = client.createClient(${JSON.stringify({ baseUrl, apiKey, ...impatient })});
      const calls = Array.from({ length: 200 }, () => store.listPets());
      const results = await Promise.allSettled(calls);
      return results.filter(({ status }) => status === 'fulfilled').length;
    `);
    expect(answered).toBe(60);
    expect(await service.ask()).toBe('rate_limit_exceeded');
  });
});
