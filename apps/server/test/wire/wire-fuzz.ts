import fc from 'fast-check';
import type { AnyServer } from '../support/local-server.ts';
import { closeOf, openConnection } from './connection.ts';
import { type WireConversation, wireConversations } from './wire-conversation.ts';

/** How many conversations go on at the same time. */
const concurrent = 50;

/** Holds conversations made from a seed with both listeners of a server. */
export async function holdConversations(options: {
  readonly server: AnyServer;
  readonly token: string;
  readonly seed: number;
  readonly connections: number;
}): Promise<void> {
  const { server, token, seed, connections } = options;
  const conversations = fc.sample(wireConversations(token), { seed, numRuns: connections });
  const queue = conversations.values();
  await Promise.all(
    Array.from({ length: concurrent }, async () => {
      for (const conversation of queue) await hold(server, conversation);
    }),
  );
}

async function hold(server: AnyServer, conversation: WireConversation): Promise<void> {
  const { listener, pieces, reads, ending } = conversation;
  const socket = await openConnection(listener === 'public' ? server.origin : server.opsUrl);
  const closed = closeOf(socket);
  if (reads) socket.resume();
  else socket.pause();
  for (const piece of pieces) {
    await new Promise<void>((resolve) => {
      socket.write(piece, 'latin1', () => resolve());
      closed.then(resolve);
    });
  }
  if (ending === 'reset') socket.resetAndDestroy();
  else if (ending === 'half-close') socket.end();
  // A paused socket does not notice the end of its connection.
  socket.resume();
  await closed;
}
