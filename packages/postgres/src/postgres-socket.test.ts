import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { openRawServer } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { openFailingSocket, openSocket, watchSockets } from './postgres-socket.ts';

/** Opens a server that never sends anything, and one connection to it. */
async function connectToServer() {
  const accepted = Promise.withResolvers<Socket>();
  const server = await openRawServer(accepted.resolve);
  const socket = openSocket({ host: '127.0.0.1', port: server.port, path: undefined });
  const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.on('error', resolve));
  const peer = await accepted.promise;
  return { socket, peer, failed, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('openSocket emits an error when the server closes the connection', async () => {
  await using connection = await connectToServer();
  connection.socket.resume();
  connection.peer.end();
  expect(await connection.failed).toMatchObject({ code: 'CONNECTION_CLOSED' });
});

test('openFailingSocket returns a socket whose first write fails with the given error code', async () => {
  const socket = openFailingSocket('57P03');
  const failed = once(socket, 'error');
  socket.write('startup');
  expect(await failed).toMatchObject([{ code: '57P03' }]);
});

test('watchSockets destroys a socket when the server does not respond to a statement, or sends nothing for too long', async () => {
  await using silent = await connectToServer();
  await using idle = await connectToServer();
  await using deaf = await connectToServer();
  const clock = createTestClock();
  const sockets = watchSockets({ answerMs: 50, checkEveryMs: 100, clock });
  for (const { socket } of [silent, idle]) sockets.watch(socket, 3_600_000);
  sockets.watch(deaf.socket, 50);
  silent.socket.write('a statement');
  await clock.advance(200);
  expect(await silent.failed).toMatchObject({ code: 'ETIMEDOUT' });
  expect(await deaf.failed).toMatchObject({ code: 'ETIMEDOUT' });
  expect(idle.socket.destroyed).toBe(false);
  sockets.destroyAll();
  expect(await idle.failed).toMatchObject({ code: 'CONNECTION_CLOSED' });
  sockets.close();
});
