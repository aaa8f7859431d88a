// The tests use their own `until`, because `vi.waitUntil` moves the fake clock while it waits.
import { startScriptedServer, until } from '@animal-store/testkit';
import { expect, test, vi } from 'vitest';
import { createClient, type RetryEvent } from '../src/index.ts';
import { useFakeClock } from './fake-clock.ts';
import { rejection } from './rejection.ts';

// These tests use real connections, which need real time. The client uses a fake clock, which
// advances only when a test advances it.

useFakeClock({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });

const animals = '[{"id":1,"name":"Mia","categoryId":3}]';

test('the client retries when the server closes the connection in the middle of a response body', async () => {
  let isFirst = true;
  await using server = await startScriptedServer((response) => {
    if (isFirst) response.write(animals.slice(0, 10), () => response.destroy());
    else response.end(animals);
    isFirst = false;
  });
  const { promise: retry, resolve: onRetry } = Promise.withResolvers<RetryEvent>();
  const call = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', onRetry }).listPets();
  expect(await retry).toMatchObject({ delayMs: 250, error: { name: 'ConnectionError' } });
  await vi.advanceTimersByTimeAsync(250);
  expect((await call).pets).toEqual(JSON.parse(animals));
});

// Regression: an endless response took 6 GB of memory until the timeout.
test('a call rejects with a ConnectionError, and closes the connection, when a response is longer than 10 MB', async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await startScriptedServer((response) => {
    const chunk = ' '.repeat(100_000);
    const send = () => response.write(chunk, (error) => error ?? send());
    response.once('close', closed.resolve);
    send();
  });
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', maxRetries: 0 });
  expect(await rejection(store.listPets())).toMatchObject({
    name: 'ConnectionError',
    message: `listPets: no complete response from ${server.baseUrl} (BODY_TOO_LONG)`,
    cause: { message: 'expected at most 10 MB' },
  });
  await closed.promise;
});

test('when the connection is refused, a call rejects with a ConnectionError whose cause is the error of fetch', async () => {
  const server = await startScriptedServer(() => {});
  await server[Symbol.asyncDispose]();
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', maxRetries: 0 });
  expect(await rejection(store.listPets())).toMatchObject({
    name: 'ConnectionError',
    message: `listPets: no complete response from ${server.baseUrl} (ECONNREFUSED)`,
    cause: { cause: { code: 'ECONNREFUSED' } },
  });
});

// `fetch` refuses some ports, such as 6000. The cause of its error then has a message, but no code.
test('the message of a ConnectionError contains the message of its cause when the cause has no code', async () => {
  const baseUrl = 'http://127.0.0.1:6000/v1';
  const store = createClient({ baseUrl, apiKey: 'ast_key', maxRetries: 0 });
  expect(await rejection(store.listPets())).toMatchObject({
    message: `listPets: no complete response from ${baseUrl} (bad port)`,
  });
});

// Regression: in Deno, the message contained no reason.
test('the message of a ConnectionError contains the reason of an error of Deno, without the address', async () => {
  const url = 'http://nowhere.invalid/v1/pets?cursor=secret';
  const reason = 'dns error: failed to lookup address information: Name or service not known';
  const cause = new Error(
    `error sending request for url (${url}): client error (Connect): ${reason}`,
  );
  const store = createClient({
    baseUrl: 'http://nowhere.invalid/v1',
    apiKey: 'ast_key',
    maxRetries: 0,
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
  });
  expect(await rejection(store.listPets())).toMatchObject({
    message: `listPets: no complete response from http://nowhere.invalid/v1 (${reason})`,
  });
});

test('when a response stalls in the middle of its body, the client closes the connection after `timeoutMs` or when the signal aborts', async () => {
  const closed: Promise<void>[] = [];
  await using server = await startScriptedServer((response) => {
    closed.push(new Promise((resolve) => response.once('close', resolve)));
    response.write('[');
  });
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', maxRetries: 0 });
  const controller = new AbortController();

  const late = rejection(store.listPets({}, { timeoutMs: 5_000 }));
  const aborted = rejection(store.listPets({}, { signal: controller.signal }));
  await until(() => closed.length === 2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await late).toMatchObject({ name: 'TimeoutError' });
  controller.abort();
  expect(await aborted).toMatchObject({ name: 'AbortError', cause: controller.signal.reason });
  await Promise.all(closed);
});
