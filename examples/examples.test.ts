import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient, type Pet } from '@animal-store/client';
import { findProgram, type Server, startServer } from '@animal-store/testkit';
import type { Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/query-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBackend } from './express-backend/server.ts';
import { fromExactJson, toExactJson, toJsonWithStrings } from './recipes/bigint-in-json.ts';
import { mockedStore } from './recipes/mock-with-msw.ts';
import { createMockedClient } from './recipes/mock-with-undici.ts';
import { traceRequests } from './recipes/opentelemetry.ts';
import { createProxiedClient } from './recipes/proxy.ts';
import { infinitePets } from './tanstack-query/infinite-pets.ts';
import worker from './worker/worker.ts';

const execute = promisify(execFile);

let server: Server;
let options: { baseUrl: string; apiKey: string };
let env: { ANIMAL_STORE_BASE_URL: string; ANIMAL_STORE_API_KEY: string };

beforeAll(async () => {
  server = await startServer();
  const apiKey = server.demoKey ?? expect.unreachable('the first start prints a key');
  options = { baseUrl: server.baseUrl, apiKey };
  env = { ANIMAL_STORE_BASE_URL: server.baseUrl, ANIMAL_STORE_API_KEY: apiKey };
});

afterAll(() => server[Symbol.asyncDispose]());

async function run(command: string, path: string): Promise<string> {
  const { stdout } = await execute(command, [join(import.meta.dirname, path)], { env });
  return stdout;
}

test('the Node script counts the animals of each status', async () => {
  expect(await run(process.execPath, 'node-script/report.ts')).toMatch(/^available: \d+$/m);
});

test('the shell script adds an animal and lists animals', async () => {
  const [created = '', listed = ''] = (await run('bash', 'curl/pets.sh')).split('\n');
  await findProgram('curl');
  expect(JSON.parse(created)).toMatchObject({ name: 'Mia', categoryId: 3, status: 'available' });
  expect(JSON.parse(listed)).toHaveLength(5);
});

test('the Python program adds an animal and goes through all pages', async () => {
  const output = await run(await findProgram('python'), 'python/pets.py');
  expect(output).toMatch(/^Mia has category 9007199254740993\n\d+ animals are for sale\n$/);
});

test('the Express backend gives its page animals, page by page, and hides the key', async () => {
  const backend = createBackend(createClient(options)).listen(0, '127.0.0.1');
  await using _ = { [Symbol.asyncDispose]: async () => void backend.close() };
  await once(backend, 'listening');
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/animals`;

  const response = await fetch(url);
  const { pets } = (await response.json()) as { pets: Pet[] };
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(pets.length).toBeGreaterThan(0);
  expect([...response.headers].join()).not.toContain(options.apiKey);

  const refused = await fetch(`${url}?cursor=invalid`);
  expect(refused.status).toBe(400);
});

test('TanStack Query loads page after page', async () => {
  const queryClient = new QueryClient();
  const store = createClient(options);
  const observer = new InfiniteQueryObserver(queryClient, infinitePets(store, 'available'));
  const unsubscribe = observer.subscribe(() => {});
  await observer.refetch();
  const { data, hasNextPage } = await observer.fetchNextPage();
  expect(hasNextPage).toBe(true);
  const ids = data?.pages.flatMap(({ pets }) => pets.map(({ id }) => id)) ?? [];
  expect(new Set(ids).size).toBe(4);
  unsubscribe();
  queryClient.clear();
});

test('the worker tells how many animals are for sale', async () => {
  const response = await worker.fetch(new Request('https://worker.example/'), env);
  expect(await response.json()).toEqual({ available: expect.any(Number) });
});

describe('the recipe', () => {
  test('for a proxy sends requests through it', async () => {
    const seen: string[] = [];
    const proxy = createServer().listen(0, '127.0.0.1');
    proxy.on('connect', (request, socket) => {
      seen.push(request.url ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await using _ = { [Symbol.asyncDispose]: async () => void proxy.close() };
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const store = createProxiedClient(`http://127.0.0.1:${port}`, {
      baseUrl: 'https://store.test/v1',
      apiKey: 'ast_proxied',
      maxRetries: 0,
    });
    await expect(store.listPets()).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(seen).toEqual(['store.test:443']);
  });

  test('for msw answers in place of the service', async () => {
    mockedStore.listen();
    const store = createClient({ baseUrl: 'https://store.test/v1', apiKey: 'ast_msw' });
    expect((await store.listPets()).pets).toHaveLength(1);
    expect(await store.createPet({ name: 'Tom', categoryId: 4 })).toMatchObject({ id: 2 });
    mockedStore.close();
  });

  test('for undici answers in place of the service', async () => {
    const { pets } = await createMockedClient('ast_undici').listPets();
    expect(pets[0]?.name).toBe('Mia');
  });

  test('for JSON keeps 64-bit categories exact', () => {
    const pet: Pet = { id: 1, name: 'Mia', categoryId: 9007199254740993n };
    expect(fromExactJson(toExactJson(pet))).toEqual(pet);
    expect(JSON.parse(toJsonWithStrings(pet))).toEqual({ ...pet, categoryId: '9007199254740993' });
  });

  test('for OpenTelemetry makes a span of each request, and of a failed call', async () => {
    const spans: [string, SpanOptions['attributes']][] = [];
    const span = { setStatus: () => {}, recordException: () => {}, end: () => {} };
    const tracer = {
      startSpan: (name: string, { attributes }: SpanOptions) => {
        spans.push([name, attributes]);
        return span as unknown as Span;
      },
    } as Partial<Tracer> as Tracer;
    const store = createClient({ ...options, ...traceRequests(tracer) });
    await store.listPets({ limit: 1 });
    await store.getPet(Number.MAX_SAFE_INTEGER).catch(() => {});
    expect(spans.map(([name]) => name)).toEqual(['GET listPets', 'GET getPet', 'getPet']);
    expect(spans[0]?.[1]).toMatchObject({
      'http.response.status_code': 200,
      'url.full': `${options.baseUrl}/pets`,
    });
  });
});
