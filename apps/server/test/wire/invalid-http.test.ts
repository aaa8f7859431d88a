import { describe, expect, test } from 'vitest';
import { logOf } from '../support/observed.ts';
import { useSharedService } from '../support/shared-service.ts';
import { closeOf, openConnection, readUntilClosed, statusesIn } from './connection.ts';

const { service } = useSharedService();

const listeners = ['public', 'ops'] as const;
const originOf = (listener: (typeof listeners)[number]) =>
  listener === 'public' ? service.server.origin : service.server.opsUrl;

test.each(listeners)(
  'what is not HTTP is answered once, and the connection is closed (%s listener)',
  async (listener) => {
    const linesBefore = logOf(service.server).length;
    const socket = await openConnection(originOf(listener));
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    const closed = closeOf(socket);
    // Each write may arrive as a chunk of its own.
    for (let i = 0; i < 20; i += 1) socket.write('not HTTP at all\r\n\r\n');
    await closed;
    expect(statusesIn(received).length).toBeLessThanOrEqual(1);
    expect((await service.call('/pets')).status).toBe(200);
    expect(service.server.output()).not.toContain('Warning');
    const log = logOf(service.server).slice(linesBefore);
    expect(log.filter(({ method }) => method === 'unknown').length).toBeLessThanOrEqual(1);
  },
);

describe.each(listeners)('on the %s listener', (listener) => {
  test.each([
    ['two Host headers', 'Host: localhost\r\nhOST: localhost\r\n'],
    ['two Host headers with others between', 'Host: a\r\nAccept: */*\r\nHost: b\r\n'],
  ])('%s get 400, and the connection is closed', async (_title, lines) => {
    const received = await readUntilClosed(
      originOf(listener),
      `GET /v1/pets HTTP/1.1\r\n${lines}\r\nGET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n`,
    );
    expect(statusesIn(received)).toEqual([400]);
    expect(received).toMatch(/^Connection: close\r$/m);
    // It never becomes a request of the application.
    expect(received).not.toContain('X-Request-Id');
  });
});

test.each([
  ['garbage', 'garbage\r\n\r\n', 400],
  ['headers of 17 kB', `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
  ['101 headers', `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${'X: x\r\n'.repeat(100)}\r\n`, 431],
  ['no Host', 'GET /v1/pets HTTP/1.1\r\n\r\n', 400],
])('%s gets the response of Node, and the connection is closed', async (_title, bytes, status) => {
  expect(statusesIn(await readUntilClosed(service.server.origin, bytes))).toEqual([status]);
});

test('100 headers are served', async () => {
  const lines = `Host: a\r\nConnection: close\r\n${'X: x\r\n'.repeat(98)}`;
  const received = await readUntilClosed(
    service.server.origin,
    `GET /v1/pets HTTP/1.1\r\n${lines}\r\n`,
  );
  expect(statusesIn(received)).toEqual([401]);
});

test.each(listeners)(
  'a request for an upgrade is served, and ends its connection (%s listener)',
  async (listener) => {
    // Node drops what follows such a request in the same segment: without the end of the connection,
    // the next response would look like that of the dropped request.
    const received = await readUntilClosed(
      originOf(listener),
      [
        'GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
        'GET /dropped HTTP/1.1\r\nHost: localhost\r\n\r\n',
      ].join(''),
    );
    expect(statusesIn(received)).toEqual([404]);
    expect(received).toMatch(/^Connection: close\r$/m);
  },
);
