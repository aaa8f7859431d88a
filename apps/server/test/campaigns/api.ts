import { fuzz } from '../conformance/fuzz.ts';
import { startWithStores } from './start-with-stores.ts';

/**
 * Sends requests that are generated from the OpenAPI document to a server with Postgres and Redis,
 * and checks every response against the document.
 *
 * @throws if a response is wrong. The error contains the smallest request that causes it.
 */
export async function run({ seed, minutes }: { seed: number; minutes: number }): Promise<void> {
  await using loaded = await startWithStores({ ADDRESS_PER_MINUTE: '1000000' });
  const { server, token } = loaded;
  const endsAt = performance.now() + minutes * 60_000;
  const requests = 2_000;
  for (let round = 0; round === 0 || performance.now() < endsAt; round += 1) {
    await fuzz({ baseUrl: server.baseUrl, apiKey: token, requests, seed: seed + round });
    process.stdout.write(`${(round + 1) * requests} requests, last seed ${seed + round}\n`);
  }
}
