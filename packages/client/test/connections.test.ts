// Not `vi.waitUntil`, which moves a fake clock as it looks.
import { until } from '@animal-store/testkit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient, type RetryEvent } from '../src/index.ts';
import { rejection } from './rejection.ts';
import { type Script, startScriptedServer } from './scripted-server.ts';

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
  ['cuts the connection', cut],
  ['cuts it within the body', begin({ 'Content-Length': '39' }, animals.slice(0, 10), cut)],
] as [string, Script][])('a server that %s is asked again', async (_what, script) => {
  let failures = 1;
  await using server = await startScriptedServer((response, request) =>
    failures-- > 0 ? script(response, request) : response.end(animals),
  );
  const { promise: retry, resolve: onRetry } = Promise.withResolvers<RetryEvent>();
  const call = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', onRetry }).listPets();
  expect(await retry).toMatchObject({ delayMs: 250, error: { name: 'ConnectionError' } });
  await vi.advanceTimersByTimeAsync(250);
  expect((await call).pets).toEqual(JSON.parse(animals));
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

test('the connection to a server that stalls within the body is given up after timeoutMs, or at an abort', async () => {
  const closed: Promise<void>[] = [];
  await using server = await startScriptedServer((response, request) => {
    closed.push(new Promise((resolve) => response.once('close', resolve)));
    begin({}, '[')(response, request);
  });
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', maxRetries: 0 });
  const controller = new AbortController();

  const late = rejection(store.listPets({}, { timeoutMs: 5_000 }));
  const aborted = rejection(store.listPets({}, { signal: controller.signal }));
  await until(() => server.requests.length === 2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await late).toMatchObject({ name: 'TimeoutError' });
  controller.abort();
  expect(await aborted).toMatchObject({ name: 'AbortError', cause: controller.signal.reason });
  await Promise.all(closed);
});
