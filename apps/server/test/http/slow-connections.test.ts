import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { goodStatus, startMixedLoad } from '../support/mixed-load.ts';
import { startService } from '../support/service.ts';

test('a client that never reads its answer is disconnected after the keep-alive timeout', async () => {
  await using server = await startServer({ env: { KEEP_ALIVE_TIMEOUT_MS: '500' } });
  const page = await (await fetch(`${server.origin}/docs`)).text();
  const [, script = ''] = /"(\/docs\/scalar[^"]*)"/.exec(page) ?? [];
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  // Megabytes, more than the buffers between us hold; and nobody takes them.
  socket.write(`GET ${script} HTTP/1.1\r\nHost: x\r\n\r\n`);
  socket.pause();
  const closed = once(socket, 'close');
  const log = () => server.output().includes('"aborted":true');
  await expect.poll(log).toBe(true);
  socket.resume();
  await closed;
});

test('1,000 clients that send their headers byte by byte are refused, and no other client is', async () => {
  await using service = await startService('postgres', { env: { HEADERS_TIMEOUT_MS: '2000' } });
  const { server, tokens } = service;
  const { hostname, port } = new URL(server.origin);
  const token = tokens.enterprise;
  await using load = startMixedLoad({ baseUrl: server.baseUrl, token, callers: 4 });
  const answered = (times: number) => until(() => load.answers.length >= times);
  await answered(20);

  const endings: string[] = [];
  const dripping = new Set<Socket>();
  function drip() {
    for (const socket of dripping) socket.write('a');
  }
  const timer = setInterval(drip, 200);
  const before = load.answers.length;
  // Some at a time: more would wait to be accepted, and for the system to try again.
  for (let opened = 0; opened < 1_000; opened += 250) {
    await Promise.all(
      Array.from({ length: 250 }, async () => {
        const socket = connect(Number(port), hostname);
        let received = '';
        socket.setEncoding('latin1').on('data', (text: string) => {
          received += text;
        });
        socket.on('end', () => dripping.delete(socket));
        // What was dripped after the answer may be answered by a reset.
        socket.on('error', () => {});
        socket.on('close', () => {
          dripping.delete(socket);
          endings.push(received.split('\r\n\r\n')[1] ?? '');
        });
        await once(socket, 'connect');
        socket.write('GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-Slow: ');
        dripping.add(socket);
      }),
    );
  }
  await until(() => endings.length === 1_000);
  clearInterval(timer);
  expect(load.answers.length).toBeGreaterThan(before);
  await load.stop();

  const turnedAway =
    '{"code":"invalid_request","message":"request: expected it to arrive sooner","status":400}';
  expect(new Set(endings)).toEqual(new Set([turnedAway]));
  expect(load.failures).toEqual([]);
  expect(load.answers.filter(({ kind, status }) => status !== goodStatus[kind])).toEqual([]);
});
