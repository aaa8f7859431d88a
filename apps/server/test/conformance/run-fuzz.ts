// Fuzzes a running service from its own document:
//
//   node test/reference/run-fuzz.ts <base URL, ending in /v1> <API key> [requests] [seed]
//
// The key's quota, and ADDRESS_PER_MINUTE for requests without a key, must not be in the way.

import { fuzz } from './fuzz.ts';

const [baseUrl = '', apiKey = '', requests = '50000', seed] = process.argv.slice(2);
const counts = await fuzz({
  baseUrl,
  apiKey,
  requests: Number(requests),
  ...(seed !== undefined && { seed: Number(seed) }),
});
process.stdout.write(`${JSON.stringify(counts, null, 2)}\n`);
