// Not `vi.waitUntil`, which moves a fake clock as it looks.
import { until } from '@animal-store/testkit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient, type RetryEvent } from '../src/index.ts';
import { rejection } from './rejection.ts';
import { answer, type Script, startScriptedServer } from './scripted-server.ts';

// Over real connections, while the client's clock stands still unless a test moves it.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const animals = '[{"id":1,"name":"Mia","categoryId":3}]';

/** Sends the beginning of a body, and does the rest. */
const begin =
  (headers: Record<string, string>, text: string, rest: Script = () => {}): Script =>
  (response, request) => {
    response.writeHead(200, headers);
    response.write(text, () => rest(response, request));
  };
const cut: Script = (response) => response.destroy();

test.each([
  ['cuts the connection', cut, 'ConnectionError'],
  [
    'cuts it within the body',
    begin({ 'Content-Length': '39' }, animals.slice(0, 10), cut),
    'ConnectionError',
  ],
  [
    'promises a longer body than it sends',
    begin({ 'Content-Length': '1000' }, animals, ({ socket }) => socket?.end()),
    'ConnectionError',
  ],
  [
    'does not speak HTTP',
    ({ socket }) => socket?.end('SSH-2.0-OpenSSH_9.2\r\n'),
    'ConnectionError',
  ],
  ['hides behind a broken proxy', answer(502, '<h1>Bad Gateway</h1>'), 'ServerError'],
] as [string, Script, string][])(
  'a server that %s is asked again, three times in all',
  async (_what, script, name) => {
    let failures = 2;
    await using server = await startScriptedServer((response, request) =>
      (failures-- > 0 ? script : answer(200, animals))(response, request),
    );
    const retries: RetryEvent[] = [];
    const onRetry = (event: RetryEvent) => retries.push(event);
    const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', onRetry });

    const call = store.listPets();
    for (const [index, delayMs] of [250, 500].entries()) {
      await until(() => retries.length === index + 1, { intervalMs: 1 });
      expect(retries[index]).toMatchObject({ attempt: index + 1, delayMs, error: { name } });
      await vi.advanceTimersByTimeAsync(delayMs);
    }
    expect((await call).pets).toEqual(JSON.parse(animals));
    expect(server.requests).toHaveLength(3);
  },
);

test.each([
  ['a body that is shorter than it should be for JSON', 200, '[{"id":1', undefined],
  ['a redirect, which is not followed', 307, '', '/elsewhere'],
] as const)('%s is no success', async (_what, status, body, location) => {
  await using server = await startScriptedServer(
    answer(status, body, location === undefined ? {} : { Location: location }),
  );
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key' });
  expect(await rejection(store.listPets())).toMatchObject({ name: 'ApiError', status });
  expect(server.requests).toHaveLength(1);
});

test('a connection that is refused is a ConnectionError with its cause', async () => {
  const server = await startScriptedServer(cut);
  await server[Symbol.asyncDispose]();
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', maxRetries: 0 });
  expect(await rejection(store.listPets())).toMatchObject({
    name: 'ConnectionError',
    message: `listPets: no answer from ${server.baseUrl} (ECONNREFUSED)`,
    cause: { cause: { code: 'ECONNREFUSED' } },
  });
});

const json = { 'Content-Type': 'application/json' };

test.each([
  ['never answers', () => {}],
  ['stalls after the headers', (response) => response.writeHead(200, json).flushHeaders()],
  ['stalls within the body', begin(json, '[')],
] as [string, Script][])(
  'of a server that %s, the connection is given up after timeoutMs, or at an abort',
  async (_what, script) => {
    const closed: Promise<void>[] = [];
    await using server = await startScriptedServer((response, request) => {
      closed.push(new Promise((resolve) => response.once('close', resolve)));
      script(response, request);
    });
    const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', maxRetries: 0 });
    const controller = new AbortController();

    const late = rejection(store.listPets({}, { timeoutMs: 5_000 }));
    const aborted = rejection(store.listPets({}, { signal: controller.signal }));
    await until(() => server.requests.length === 2, { intervalMs: 1 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await late).toMatchObject({ name: 'TimeoutError' });
    controller.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError', cause: controller.signal.reason });
    await Promise.all(closed);
  },
);

test('a body that trickles has no more time than another', async () => {
  let trickle = () => {};
  await using server = await startScriptedServer((response) => {
    response.writeHead(200, json);
    trickle = () => response.write(' ');
    trickle();
  });
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', maxRetries: 0 });
  const call = rejection(store.listPets({}, { timeoutMs: 5_000 }));
  await until(() => server.requests.length === 1, { intervalMs: 1 });
  for (let second = 1; second <= 5; second++) {
    await vi.advanceTimersByTimeAsync(1_000);
    trickle();
  }
  expect(await call).toMatchObject({ name: 'TimeoutError' });
});
