import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createClient, type Pet } from '@animal-store/client';
import { createTestService } from '@animal-store/client/testing';
import {
  findProgram,
  readExamples,
  repository,
  startScriptedServer,
  startServer,
  temporaryDirectory,
} from '@animal-store/testkit';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/query-core';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPageServer } from '../../browser-page/serve.ts';
import { createBackend } from '../../express-backend/server.ts';
import { fromExactJson, toExactJson, toJsonWithStrings } from '../../recipes/bigint-in-json.ts';
import { mockedStore } from '../../recipes/mock-with-msw.ts';
import { createMockedClient } from '../../recipes/mock-with-undici.ts';
import { traceRequests } from '../../recipes/opentelemetry.ts';
import { createProxiedClient } from '../../recipes/proxy.ts';
import { infinitePets } from '../../tanstack-query/infinite-pets.ts';
import worker from '../../worker/worker.ts';
import { sentInTheEnd, startFailingStore } from '../support/failing-store.ts';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

let options: { baseUrl: string; apiKey: string };
let env: { ANIMAL_STORE_BASE_URL: string; ANIMAL_STORE_API_KEY: string };

beforeAll(async () => {
  const server = await startServer();
  const apiKey = server.demoKey ?? expect.unreachable('the first start prints a key');
  options = { baseUrl: server.baseUrl, apiKey };
  env = { ANIMAL_STORE_BASE_URL: server.baseUrl, ANIMAL_STORE_API_KEY: apiKey };
  return () => server[Symbol.asyncDispose]();
});

// biome-ignore lint/style/noProcessEnv: the programs need a PATH.
const environment = () => ({ ...process.env, ...env, PORT: '0' });

// This test starts the examples directly, because `npm run example` would also build the client
// each time. The campaign `node20` tests `npm run example`.
test.each([
  [process.execPath, 'examples/node-script/report.ts', /^available: \d+$/m],
  [
    'bash',
    'examples/curl/pets.sh',
    /^\{"added":\{"id":\d+,"name":"Mia",[^{]*\},"available":\[(?:\{[^{]+){5}\]\}\n$/,
  ],
  [
    'python3',
    'examples/python/pets.py',
    /^Mia has category 9007199254740993\n\d+ animals are for sale\n$/,
  ],
])(
  'the command %s runs the example %s and prints the expected output',
  async (command, file, output) => {
    if (command === 'bash') await findProgram('curl');
    if (command === 'python3') await findProgram('python');
    const { stdout } = await execute(command, [file], { cwd: root, env: environment() });
    expect(stdout).toMatch(output);
  },
);

test('examples/curl/pets.sh prints one JSON document, even when it has to wait and retry', async () => {
  await findProgram('curl');
  const denied = new Set<string>();
  await using server = await startScriptedServer((response, request) => {
    const line = `${request.method} ${request.url}`;
    const isFirst = denied.size < denied.add(line).size;
    response.statusCode = isFirst ? 429 : 200;
    if (isFirst) response.setHeader('Retry-After', '1');
    response.end(isFirst ? '{"code":"rate_limit_exceeded"}' : '[]');
  });
  const own = { ...environment(), ANIMAL_STORE_BASE_URL: server.baseUrl };
  const { stdout } = await execute('bash', ['examples/curl/pets.sh'], { cwd: root, env: own });
  expect(JSON.parse(stdout)).toEqual({ added: [], available: [] });
  expect(denied.size).toBe(2);
});

test('examples/python/pets.py retries lost and refused requests, and adds the animal only once', async () => {
  await findProgram('python');
  await using store = await startFailingStore();
  const own = { ...environment(), ANIMAL_STORE_BASE_URL: store.baseUrl };
  const { stdout } = await execute('python3', ['examples/python/pets.py'], { cwd: root, env: own });
  expect(stdout).toBe('Mia has category 9007199254740991\n2 animals are for sale\n');
  expect(store.sent.map(({ line }) => line)).toEqual(sentInTheEnd);
  const [first, ...others] = store.sent.slice(0, 3).map(({ idempotencyKey }) => idempotencyKey);
  expect(first).toMatch(/^[!-~]{1,255}$/);
  expect(others).toEqual([first, first]);
});

const outputs = [
  /^Mia is for sale\n$/,
  /^\d+ animals\n0 since then\n\d+\n$/,
  /^400 invalid_request name: .*\n$/,
  /^true\n$/,
  /^$/,
  /^true\n$/,
  /^listPets attempt 1\n200 \d+\n\d \S+\n$/,
  /^\{"name":"Mia","categoryId":9007199254740993\} \{ name: 'Mia', categoryId: 9007199254740993n \}\n$/,
  /^Mia,Tom 2\n$/,
  /^\w+\n2 of three\n$/,
];

test('the code samples in the client’s README run unchanged', async () => {
  await using directory = await temporaryDirectory();
  const modules = join(directory.path, 'node_modules/@animal-store');
  await mkdir(modules, { recursive: true });
  await symlink(join(root, 'packages/client'), join(modules, 'client'), 'junction');
  const write = (file: string, text: string) => writeFile(join(directory.path, file), text);
  const examples = await readExamples(`${repository}packages/client`);
  for (const [index, code] of examples.entries()) {
    const program = code
      .replaceAll("'http://127.0.0.1:3000/v1'", JSON.stringify(options.baseUrl))
      .replaceAll("'ast_your_key'", JSON.stringify(options.apiKey));
    await write(`${index}.mts`, program);
  }
  // All examples run in one process, because the start of each process would take most of the
  // test's time.
  const run = examples.map((_, index) => `await import('./${index}.mts');console.log('the end');`);
  await write('all.mjs', run.join('\n'));
  const all = await execute(process.execPath, [join(directory.path, 'all.mjs')]);
  const expected = outputs.map((output) => expect.stringMatching(output));
  expect(all.stdout.split('the end\n')).toEqual([...expected, '']);
});

describe('the Express backend', () => {
  test('the Express backend returns animals to its page, and never sends the API key', async () => {
    const backend = spawn(process.execPath, ['examples/express-backend/server.ts'], {
      cwd: root,
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void backend.kill());
    const [line] = await once(createInterface(backend.stdout), 'line');
    const response = await fetch(/^Open (\S+)$/.exec(line)?.[1] ?? expect.unreachable(line));
    const text = await response.text();
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect((JSON.parse(text) as { pets: Pet[] }).pets.length).toBeGreaterThan(0);
    expect([...response.headers].join() + text).not.toContain(options.apiKey);
  });

  const later = { message: 'Please try again later.' };
  test.each([
    ['invalid_request', 400, { message: expect.any(String) }, null],
    ['rate_limit_exceeded', 503, later, '7'],
    ['no_answer', 503, later, '1'],
    ['unauthorized', 500, { message: 'Something went wrong on our side.' }, null],
  ] as const)(
    'the Express backend responds to the service’s failure %s without a stack trace',
    async (failure, status, message, retryAfter) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      onTestFinished(() => log.mockRestore());
      const service = createTestService();
      service.failNext(failure, { retryAfterSeconds: 7 });
      const store = createClient({ ...service.clientOptions, maxRetries: 0 });
      const backend = createBackend(store).listen(0, '127.0.0.1');
      onTestFinished(() => void backend.close());
      await once(backend, 'listening');
      const { port } = backend.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/animals`);
      expect([response.status, await response.json()]).toEqual([status, message]);
      expect(response.headers.get('Retry-After')).toBe(retryAfter);
    },
  );
});

// This test only starts the server. `test/browser/browser-page.test.ts` opens the page.
test('the server of the browser page refuses to start with an API key that may write, or with an invalid API key', async () => {
  const { pets } = await createClient(options).listPets({ limit: 100 });
  await expect(createPageServer(options)).rejects.toThrow(/write permission.*--read-only/s);
  expect((await createClient(options).listPets({ limit: 100 })).pets).toEqual(pets);
  const wrong = { ...options, apiKey: `${options.apiKey}x` };
  await expect(createPageServer(wrong)).rejects.toThrow('The API key is not valid.');
});

test('the TanStack Query example loads one page of animals after another', async () => {
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

test('the Cloudflare Worker example returns how many animals are for sale', async () => {
  const response = await worker.fetch(new Request('https://worker.example/'), env);
  expect(await response.json()).toEqual({ available: expect.any(Number) });
});

describe('the recipes', () => {
  test('the proxy recipe sends the requests of the client through an HTTP proxy', async () => {
    const proxy = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void proxy.close());
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const target = { baseUrl: 'https://store.test/v1', apiKey: 'ast_proxied', maxRetries: 0 };
    const call = createProxiedClient(`http://127.0.0.1:${port}`, target).listPets();
    const [request, socket] = await once(proxy, 'connect');
    // After the event `connect`, Node no longer handles errors of the socket. Without this
    // listener, a connection reset would end the process.
    socket.on('error', () => {});
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    expect(request.url).toBe('store.test:443');
    await expect(call).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  test('the msw recipe responds to the client in place of the service', async () => {
    mockedStore.listen();
    onTestFinished(() => mockedStore.close());
    const store = createClient({ baseUrl: 'https://store.test/v1', apiKey: 'ast_msw' });
    expect((await store.listPets()).pets).toHaveLength(1);
    expect(await store.createPet({ name: 'Tom', categoryId: 4 })).toMatchObject({ id: 2 });
  });

  test('the undici recipe responds to the client in place of the service', async () => {
    const { pets } = await createMockedClient('ast_undici').listPets();
    expect(pets[0]?.name).toBe('Mia');
  });

  test('the JSON recipe keeps 64-bit category ids exact', () => {
    const pet: Pet = { id: 1, name: 'Mia', categoryId: 9007199254740993n };
    expect(fromExactJson(toExactJson(pet))).toEqual(pet);
    expect(JSON.parse(toJsonWithStrings(pet))).toEqual({ ...pet, categoryId: '9007199254740993' });
  });

  test('the OpenTelemetry recipe creates a span for each request, and another span for each call that fails', async () => {
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor({ exporter })];
    const tracer = new TracerProvider({ spanProcessors }).getTracer('examples');
    const store = createClient({ ...options, ...traceRequests(tracer) });
    await store.listPets({ limit: 1 });
    await store.getPet(Number.MAX_SAFE_INTEGER).catch(() => {});
    const spans = exporter.getFinishedSpans();
    const names = spans.map(({ name, status }) => `${name} ${status.code}`);
    expect(names).toEqual(['GET /pets 0', 'GET /pets/{petId} 2', 'getPet 2']);
    expect(spans[0]?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': '/pets',
      'url.full': `${options.baseUrl}/pets`,
      'http.response.status_code': 200,
      'http.request.resend_count': 0,
      'http.response.header.x-request-id': [expect.any(String)],
    });
  });
});
