// This program counts the animals of each status. Run it: npm run example
// examples/node-script/report.ts

import { createClient } from '@animal-store/client';

const store = createClient({ logger: { ...console, debug: () => {} } });

const counts = new Map<string, number>();
for await (const { status = 'unknown' } of store.eachPet()) {
  counts.set(status, (counts.get(status) ?? 0) + 1);
}
for (const [status, count] of counts) console.log(`${status}: ${count}`);
