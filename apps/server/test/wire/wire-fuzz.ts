import { type Server, until } from '@animal-store/testkit';
import fc from 'fast-check';
import { collectsGarbage, memoryOf } from '../load/memory.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import { closeOf, openConnection } from './connection.ts';
import { type WireConversation, wireConversations } from './wire-conversation.ts';

/** How many conversations go on at the same time. */
const concurrent = 50;

/** Settings under which the server ends abandoned connections soon, and refuses none too early. */
export const fuzzedEnv: Readonly<Record<string, string>> = {
  ...collectsGarbage,
  ADDRESS_PER_MINUTE: '1000000',
  HEADERS_TIMEOUT_MS: '1000',
  REQUEST_TIMEOUT_MS: '1000',
  STALL_TIMEOUT_MS: '1000',
  KEEP_ALIVE_TIMEOUT_MS: '1000',
  // The log is kept by this process, and a line for each request would be the most of it.
  LOG_LEVEL: 'warn',
};

/** Holds conversations made from a seed with both listeners of a server. */
export async function fuzzWire(options: {
  server: Server;
  token: string;
  seed: number;
  connections: number;
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

async function hold(server: Server, conversation: WireConversation): Promise<void> {
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

/**
 * Checks that a fuzzed server is unharmed, and gives the bytes that it holds on to.
 *
 * @throws if it is not.
 */
export async function checkUnharmed(server: Server, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  // Again if the connection is closed: a busy machine may need longer for a response than its time limit.
  const { status } = await until(() => fetch(`${server.baseUrl}/pets`, { headers }));
  if (status !== 200) throw new Error(`A valid caller got ${status}.`);
  const { ok } = await until(() => fetch(`${server.opsUrl}/livez`));
  if (!ok) throw new Error('The ops listener does not answer.');
  await until(async () => {
    const metrics = await scrape(server);
    return sample(metrics, 'animal_store_requests_in_flight') === 0;
  });
  const bad = logOf(server).filter(({ level }) => level === 'error' || level === 'fatal');
  if (bad.length > 0) throw new Error(`The log has an error: ${JSON.stringify(bad[0])}`);
  if (/Warning/.test(server.output())) throw new Error(`A warning:\n${server.output()}`);
  const { heap, external } = await memoryOf(server);
  return heap + external;
}
