// A process of its own: outlives the one that started it, just long enough to clean up after it.
// Reads orders from its standard input; the end of that is the end of the other process, since
// the system closes a pipe for a process that is killed as it does for one that exits.
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Charge, GuardianOrder } from './guard.ts';
import { end } from './processes.ts';

const charges = new Map<string, Charge>();

for await (const line of createInterface({ input: process.stdin })) {
  const { order, charge } = JSON.parse(line) as GuardianOrder;
  if (order === 'guard') charges.set(JSON.stringify(charge), charge);
  else charges.delete(JSON.stringify(charge));
}

const left = [...charges.values()];
await Promise.allSettled(left.map((it) => 'pid' in it && end(it.pid, it.signal)));
// After the processes, which write to them. Retried, for what a killed one has yet to let go of.
await Promise.allSettled(
  left.map(
    (it) => 'directory' in it && rm(it.directory, { recursive: true, force: true, maxRetries: 10 }),
  ),
);
