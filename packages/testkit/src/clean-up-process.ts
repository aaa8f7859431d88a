// This program cleans up after the process that started it. It reads the resources from its
// standard input. The end of the input means that the other process has ended, because the
// operating system closes the pipe, even after SIGKILL.
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { CleanUpMessage, Resource } from './clean-up-at-exit.ts';
import { end } from './processes.ts';

const resources = new Map<string, Resource>();

for await (const line of createInterface({ input: process.stdin })) {
  const { action, resource } = JSON.parse(line) as CleanUpMessage;
  if (action === 'add') resources.set(JSON.stringify(resource), resource);
  else resources.delete(JSON.stringify(resource));
}

const left = [...resources.values()];
await Promise.allSettled(left.map((it) => 'pid' in it && end(it.pid, it.signal)));
// Directories are removed after the processes that write to them have ended. The removal is
// retried, because a killed process releases its files with a delay.
await Promise.allSettled(
  left.map(
    (it) => 'directory' in it && rm(it.directory, { recursive: true, force: true, maxRetries: 10 }),
  ),
);
