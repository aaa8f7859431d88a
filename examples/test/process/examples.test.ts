import { exec, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createClient, type Pet } from '@animal-store/client';
import { findProgram, type Server, startServer } from '@animal-store/testkit';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/query-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPageServer } from '../../browser-page/serve.ts';
import { createBackend } from '../../express-backend/server.ts';
import { fromExactJson, toExactJson, toJsonWithStrings } from '../../recipes/bigint-in-json.ts';
import { mockedStore } from '../../recipes/mock-with-msw.ts';
import { createMockedClient } from '../../recipes/mock-with-undici.ts';
import { traceRequests } from '../../recipes/opentelemetry.ts';
import { createProxiedClient } from '../../recipes/proxy.ts';
import { infinitePets } from '../../tanstack-query/infinite-pets.ts';
import worker from '../../worker/worker.ts';

const execute = promisify(exec);

let server: Server;
let options: { baseUrl: string; apiKey: string };
let env: { ANIMAL_STORE_BASE_URL: string; ANIMAL_STORE_API_KEY: string };
let readOnlyKey: string;

beforeAll(async () => {
  const adminToken = 'an-admin-token-for-tests';
  server = await startServer({ env: { ADMIN_TOKEN: adminToken } });
  const apiKey = server.demoKey ?? expect.unreachable('the first start prints a key');
  options = { baseUrl: server.baseUrl, apiKey };
  env = { ANIMAL_STORE_BASE_URL: server.baseUrl, ANIMAL_STORE_API_KEY: apiKey };
  const response = await fetch(`${server.opsUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
    body: '{"name":"example","plan":"free","scopes":["pets:read"]}',
  });
  readOnlyKey = ((await response.json()) as { token: string }).token;
});

afterAll(() => server[Symbol.asyncDispose]());

const root = join(import.meta.dirname, '../../..');

/** The commands of the README, as they stand there. */
const commands = Array.from(
  (await readFile(join(root, 'examples/README.md'), 'utf8')).matchAll(/^\| `([^`]+)` /gm),
  ([, command = '']) => command,
);

function commandOf(example: string): string {
  return commands.find((command) => command.includes(example)) ?? expect.unreachable(example);
}

function environment(more: Record<string, string>) {
  // biome-ignore lint/style/noProcessEnv: the programs need a PATH.
  return { ...process.env, ...env, ...more };
}

/** Runs a command in a shell, as a reader does, with a PATH and the two variables. */
async function run(example: string): Promise<string> {
  const { stdout } = await execute(commandOf(example), {
    cwd: root,
    env: environment({}),
  });
  return stdout;
}

test('the README has five commands, and no others', () => {
  expect(commands).toHaveLength(5);
});

test('the Node script counts the animals of each status', async () => {
  expect(await run('node-script')).toMatch(/^available: \d+$/m);
});

test('the shell script adds an animal and lists animals', async () => {
  await findProgram('curl');
  const [created = '', listed = ''] = (await run('curl')).split('\n');
  expect(JSON.parse(created)).toMatchObject({ name: 'Mia', categoryId: 3, status: 'available' });
  expect(JSON.parse(listed)).toHaveLength(5);
});

test('the Python program adds an animal and goes through all pages', async () => {
  await findProgram('python');
  const output = await run('python');
  expect(output).toMatch(/^Mia has category 9007199254740993\n\d+ animals are for sale\n$/);
});

/**
 * Starts a server of the README, and waits until it says where it is. Not by `npm run example`, as the script
 * is: its build takes longer than the example.
 */
async function start(example: string, more: Record<string, string> = {}) {
  const child = spawn(process.execPath, commandOf(example).split(' ').slice(3), {
    cwd: root,
    env: environment({ PORT: '0', ...more }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async () => void child.kill();
  for await (const line of createInterface(child.stdout)) {
    const url = /^Open (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, [Symbol.asyncDispose]: end };
  }
  return expect.unreachable(`${example} does not say where it is`);
}

test('the Express backend gives its page animals, and hides the key', async () => {
  await using backend = await start('express');
  const response = await fetch(backend.url);
  const text = await response.text();
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
  expect((JSON.parse(text) as { pets: Pet[] }).pets.length).toBeGreaterThan(0);
  expect([...response.headers].join() + text).not.toContain(options.apiKey);
});

const later = 'Please try again later.';
test.each<
  [told: number, given: string | undefined, status: number, message: string, wait: string | null]
>([
  [400, undefined, 400, 'about it', null],
  [429, '7', 503, later, '7'],
  [503, undefined, 503, later, '1'],
  [0, undefined, 503, later, '1'],
  [401, undefined, 500, 'Something went wrong on our side.', null],
])('the Express backend, told %i, answers without a stack', async (told, given, ...expected) => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const store = createClient({
    baseUrl: 'https://store.test/v1',
    apiKey: `ast_backend_${told}`,
    ...{ maxRetries: 0, maxRetryAfterMs: 0 },
    fetch: async () => {
      if (told === 0) throw new TypeError('fetch failed');
      const body = { code: 'some_code', message: 'about it', status: told };
      const headers = given === undefined ? {} : { 'Retry-After': given };
      return Response.json(body, { status: told, headers });
    },
  });
  const backend = createBackend(store).listen(0, '127.0.0.1');
  onTestFinished(() => void backend.close());
  await once(backend, 'listening');
  const { port } = backend.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/animals`);
  const { message, ...others } = (await response.json()) as { message: string };
  const retryAfter = response.headers.get('Retry-After');
  expect([response.status, message, retryAfter, others]).toEqual([...expected, {}]);
});

describe('the browser page', () => {
  test('is served with the client and a key that may only read', async () => {
    await using page = await start('browser-page', { ANIMAL_STORE_API_KEY: readOnlyKey });
    const files = ['', 'page.js', 'client.js', 'settings.json', 'serve.ts'].map(async (file) => {
      const response = await fetch(page.url + file);
      return [response.status, response.headers.get('Content-Type')];
    });
    const script = [200, 'text/javascript; charset=utf-8'];
    expect(await Promise.all(files)).toEqual([
      [200, 'text/html; charset=utf-8'],
      ...[script, script],
      [200, 'application/json'],
      [404, 'text/plain'],
    ]);
    expect(await (await fetch(`${page.url}settings.json`)).json()).toEqual({
      baseUrl: server.baseUrl,
      apiKey: readOnlyKey,
    });
  });

  test('is not served with a key that may write, nor with a wrong one', async () => {
    const { pets } = await createClient(options).listPets({ limit: 100 });
    await expect(createPageServer(options)).rejects.toThrow(/may write.*--read-only/s);
    expect((await createClient(options).listPets({ limit: 100 })).pets).toEqual(pets);
    const wrong = { ...options, apiKey: `${options.apiKey}x` };
    await expect(createPageServer(wrong)).rejects.toThrow('The API key is not valid.');
  });
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
      // Node no longer listens to it: without this, a reset would end the process.
      socket.on('error', () => {});
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
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor({ exporter })];
    const tracer = new TracerProvider({ spanProcessors }).getTracer('examples');
    const store = createClient({ ...options, ...traceRequests(tracer) });
    await store.listPets({ limit: 1 });
    await store.getPet(Number.MAX_SAFE_INTEGER).catch(() => {});
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toEqual(['GET /pets', 'GET /pets/{petId}', 'getPet']);
    expect(spans[0]?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': '/pets',
      'url.full': `${options.baseUrl}/pets`,
      'http.response.status_code': 200,
      'http.request.resend_count': 0,
      'http.response.header.x-request-id': [expect.any(String)],
    });
    expect(spans.map(({ status }) => status.code)).toEqual([0, 2, 2]);
    expect(
      JSON.stringify(spans.map(({ attributes, events }) => [attributes, events])),
    ).not.toContain(options.apiKey);
  });
});
