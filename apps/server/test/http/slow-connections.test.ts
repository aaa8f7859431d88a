import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { goodStatus, startMixedLoad } from '../support/mixed-load.ts';
import { startService } from '../support/test-service.ts';

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
          endings.push(received);
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

  // A byte that arrived after the response makes the server reset the connection, response or not.
  const timedOut = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';
  expect(endings.filter((ending) => ![timedOut, ''].includes(ending))).toEqual([]);
  expect(load.failures).toEqual([]);
  expect(load.answers.filter(({ kind, status }) => status !== goodStatus[kind])).toEqual([]);
});
