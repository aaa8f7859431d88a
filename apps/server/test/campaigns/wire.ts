import { type Server, until } from '@animal-store/testkit';
import { logOf, sample, scrape } from '../support/observed.ts';
import { send } from '../support/send.ts';
import { holdConversations } from '../wire/wire-fuzz.ts';
import { collectsGarbage, growthOf, memoryOf } from './memory.ts';
import { startWithStores } from './start-with-stores.ts';

/**
 * The settings of the server. Their timeouts are short, so that the server closes abandoned
 * connections soon. Their limits are high, so that it refuses no connection too early.
 */
const env: Readonly<Record<string, string>> = {
  ...collectsGarbage,
  ADDRESS_PER_MINUTE: '1000000',
  HEADERS_TIMEOUT_MS: '1000',
  REQUEST_TIMEOUT_MS: '1000',
  STALL_TIMEOUT_MS: '1000',
  KEEP_ALIVE_TIMEOUT_MS: '1000',
  // The server logs no requests, because this process keeps the whole log in memory.
  LOG_LEVEL: 'warn',
};

/**
 * Opens connections to both listeners of a server, and sends random sequences of everything that a
 * client may do.
 *
 * @throws if the server exits, refuses a valid caller, logs an error, leaves a request in flight,
 *   or needs more and more memory.
 */
export async function run({ seed, minutes }: { seed: number; minutes: number }): Promise<void> {
  await using loaded = await startWithStores(env);
  const { server, token } = loaded;
  const endsAt = performance.now() + minutes * 60_000;
  const connections = 250;
  const held: number[] = [];
  // The campaign needs at least six rounds, because it compares the memory in the last third of the
  // rounds with the memory in the second third.
  while (held.length < 6 || performance.now() < endsAt) {
    await holdConversations({ server, token, seed: seed + held.length, connections });
    held.push(await expectHealthy(server, token));
    const megabytes = ((held.at(-1) ?? 0) / 1e6).toFixed(1);
    process.stdout.write(`${held.length * connections} connections, ${megabytes} MB held\n`);
  }
  const growth = growthOf(held);
  if (!growth.isFlat)
    throw new Error(
      `The memory grows by a factor of ${growth.ratio} from the second third to the last`,
    );
}

/**
 * Checks that the server still serves, and measures its memory.
 *
 * @returns the bytes that the server needs after a garbage collection.
 */
async function expectHealthy(server: Server, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  const { status } = await send(server.baseUrl, { method: 'GET', target: '/pets', headers });
  if (status !== 200) throw new Error(`A valid caller got ${status}.`);
  await until(async () => sample(await scrape(server), 'animal_store_requests_in_flight') === 0);
  const bad = logOf(server).filter(({ level }) => level === 'error' || level === 'fatal');
  if (bad.length > 0) throw new Error(`The log has an error: ${JSON.stringify(bad[0])}`);
  if (server.output().includes('Warning')) throw new Error(`A warning:\n${server.output()}`);
  const { heap, external } = await memoryOf(server);
  return heap + external;
}
