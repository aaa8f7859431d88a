import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openPoolSockets } from './postgres-socket.ts';

const limits = { answerMs: 60_000, silentMs: 60_000, listenerSilentMs: 60_000 };

// Regression: no connection was tried any more, as long as the one that had answered was open.
test('a connection that closes without an answer prevents no further one beside one that works', async () => {
  await using stack = new AsyncDisposableStack();
  const server = createServer().listen(0, '127.0.0.1');
  stack.defer(() => {
    server.close();
  });
  await once(server, 'listening');
  const pool = stack.adopt(openPoolSockets(limits), ({ close }) => close());
  const wanted = { host: ['127.0.0.1'], port: [(server.address() as AddressInfo).port] };
  async function connect() {
    const accepted = once(server, 'connection');
    const socket = (await pool.open(wanted)) as Socket;
    const closed = new Promise((resolve) => {
      socket.on('error', () => {}).once('close', resolve);
    });
    const [peer] = (await accepted) as [Socket];
    stack.defer(() => {
      socket.destroy();
      peer.destroy();
    });
    return { socket, peer, closed };
  }

  const refused = await connect();
  const working = await connect();
  working.peer.write('an answer');
  await once(working.socket, 'data');
  refused.peer.destroy();
  await refused.closed;

  const further = await pool.open(wanted);
  expect(further).toBeInstanceOf(Socket);
  await once(further, 'connect');
  further.destroy();
});
