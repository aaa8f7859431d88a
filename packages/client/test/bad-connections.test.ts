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

const cut: Script = (response) => response.destroy();

const cutWithinBody: Script = (response) => {
  response.writeHead(200, { 'Content-Length': String(animals.length) });
  response.write(animals.slice(0, 10), () => response.destroy());
};

const tooLong: Script = (response) => {
  response.writeHead(200, { 'Content-Length': '1000' });
  response.write(animals, () => response.socket?.end());
};

const noHttp: Script = (response) => {
  response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n');
};

const html502 = answer(502, '<html><h1>Bad Gateway</h1></html>', { 'Content-Type': 'text/html' });

test.each([
  ['cuts the connection', cut, 'ConnectionError'],
  ['cuts it within the body', cutWithinBody, 'ConnectionError'],
  ['promises a longer body than it sends', tooLong, 'ConnectionError'],
  ['does not speak HTTP', noHttp, 'ConnectionError'],
  ['hides behind a broken proxy', html502, 'ServerError'],
])('a server that %s is asked again, three times in all', async (_what, script, name) => {
  let failures = 2;
  await using server = await startScriptedServer((response, request) =>
    (failures-- > 0 ? script : answer(200, animals))(response, request),
  );
  const retries: RetryEvent[] = [];
  const store = createClient({
    baseUrl: server.baseUrl,
    apiKey: 'ast_key',
    onRetry: (event) => retries.push(event),
  });

  const call = store.listPets();
  for (const [index, delayMs] of [250, 500].entries()) {
    await until(() => retries.length === index + 1, { intervalMs: 1 });
    expect(retries[index]).toMatchObject({ attempt: index + 1, delayMs, error: { name } });
    await vi.advanceTimersByTimeAsync(delayMs - 1);
    expect(server.requests).toHaveLength(index + 1);
    await vi.advanceTimersByTimeAsync(1);
  }

  expect((await call).pets).toEqual(JSON.parse(animals));
  expect(server.requests).toHaveLength(3);
});

test('a body that is shorter than it should be for JSON is no success', async () => {
  await using server = await startScriptedServer((response) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${animals}`);
  });
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key' });
  expect(await rejection(store.listPets())).toMatchObject({
    name: 'ApiError',
    detail: 'expected a JSON array, got Content-Type null',
  });
  expect(server.requests).toHaveLength(1);
});

test.each([
  ['never answers', () => {}],
  [
    'stalls after the headers',
    (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.flushHeaders();
    },
  ],
  [
    'stalls within the body',
    (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write('[');
    },
  ],
] as [string, Script][])('a server that %s runs into the timeout', async (_what, script) => {
  const seen: Promise<void>[] = [];
  await using server = await startScriptedServer((response, request) => {
    seen.push(new Promise((resolve) => response.once('close', resolve)));
    script(response, request);
  });
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', maxRetries: 0 });

  const ended = vi.fn();
  const call = rejection(store.listPets({}, { timeoutMs: 5_000 }).finally(ended));
  await until(() => server.requests.length === 1, { intervalMs: 1 });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);

  expect(await call).toMatchObject({ name: 'TimeoutError' });
  // The connection is given up, and not left to the server.
  await seen[0];
});

test('a body that trickles has no more time than another', async () => {
  let trickle = () => {};
  await using server = await startScriptedServer((response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    trickle = () => response.write(' ');
    trickle();
  });
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'ast_key', maxRetries: 0 });

  const ended = vi.fn();
  const call = rejection(store.listPets({}, { timeoutMs: 5_000 }).finally(ended));
  await until(() => server.requests.length === 1, { intervalMs: 1 });
  for (let second = 1; second < 5; second++) {
    await vi.advanceTimersByTimeAsync(1_000);
    trickle();
    expect(ended).not.toHaveBeenCalled();
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await call).toMatchObject({ name: 'TimeoutError' });
});
