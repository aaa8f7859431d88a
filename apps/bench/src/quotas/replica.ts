// This program is one replica of a service in the quota benchmark. It sends the requests of one caller, and prints
// how many of them the library admitted.
//
//   node replica.ts LIBRARY REDIS_URL PER_MINUTE PER_DAY REQUESTS

import { libraries } from './libraries.ts';

const [name = '', url = '', perMinute, perDay, requests] = process.argv.slice(2);
const quota = { perMinute: Number(perMinute), perDay: Number(perDay) };
const library = await libraries[name]?.open(url, quota);
if (library === undefined)
  throw new Error(`Unknown library ${name}. Use one of ${Object.keys(libraries).join(', ')}.`);

let left = Number(requests);
let admitted = 0;
async function send(): Promise<void> {
  while (left > 0) {
    left -= 1;
    if (await library?.take('caller')) admitted += 1;
  }
}
await Promise.all(Array.from({ length: 16 }, send));
process.stdout.write(String(admitted));
library.close();
