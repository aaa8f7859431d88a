// This program is the guardian, a separate process that cleans up after the process that started
// it. It reads orders from its standard input. When the input ends, the other process has ended.
// The operating system closes the pipe even after SIGKILL.
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
// Directories are removed after the processes that write to them have ended. The removal is
// retried, because a killed process releases its files with a delay.
await Promise.allSettled(
  left.map(
    (it) => 'directory' in it && rm(it.directory, { recursive: true, force: true, maxRetries: 10 }),
  ),
);
