// Measures what a valid caller notices of two attacks on a server with a heap of 512 MB:
//
//   node test/wire/run-attacks.ts [--seconds 20]
//
// `pipelining`: 12 connections send 20,000 requests without a key each, and read the responses.
// `unread`: 4 connections send 12,000 requests without a key each, and read nothing.
// A connection that the server closes is opened again at once. Ends with exit code 1 unless every
// request of the valid caller gets 200, its p99 is at most 250 ms above that without an attack, and
// the server stays below 400 MB.

import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { percentile } from '../load/percentile.ts';
import { startWithStores } from '../load/start-with-stores.ts';
import { send } from '../support/send.ts';
import { closeOf, openConnection } from './connection.ts';

type Attack = { readonly connections: number; readonly requests: number; readonly reads: boolean };

const attacks: Readonly<Record<string, Attack>> = {
  pipelining: { connections: 12, requests: 20_000, reads: true },
  unread: { connections: 4, requests: 12_000, reads: false },
};

if (isMainThread) await measureAll();
else await attack(workerData as Attack & { origin: string });

async function attack(options: Attack & { origin: string }): Promise<void> {
  const bytes = 'GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(options.requests);
  await Promise.all(
    Array.from({ length: options.connections }, async () => {
      for (;;) {
        const socket = await openConnection(options.origin);
        if (options.reads) socket.resume();
        else socket.pause();
        socket.write(bytes);
        await closeOf(socket);
      }
    }),
  );
}

async function measureAll(): Promise<void> {
  const { values } = parseArgs({
    // pnpm passes on the "--" that may stand before them.
    args: process.argv.slice(2).filter((argument) => argument !== '--'),
    options: { seconds: { type: 'string', default: '20' } },
  });
  const measureMs = Number(values.seconds) * 1_000;

  await using loaded = await startWithStores({
    NODE_OPTIONS: '--max-old-space-size=512',
  });
  const { server, token } = loaded;

  async function measure(name: string): Promise<number> {
    const agent = new Agent({ keepAlive: true });
    const takenMs: number[] = [];
    let failures = 0;
    let peakMb = 0;
    const endsAt = performance.now() + measureMs;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (performance.now() < endsAt) {
          const startedAt = performance.now();
          const headers = { Authorization: `Bearer ${token}` };
          const request = { method: 'GET', target: '/pets', headers };
          const answer = await send(server.baseUrl, request, agent).catch(() => undefined);
          if (answer?.status !== 200) failures += 1;
          takenMs.push(performance.now() - startedAt);
          const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
          peakMb = Math.max(peakMb, Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024);
          await pause(20);
        }
      }),
    );
    agent.destroy();
    const p99 = percentile(takenMs, 0.99);
    process.stdout.write(
      `${name}: ${takenMs.length} requests, ${failures} failed, p99 ${p99.toFixed(1)} ms, peak ${peakMb.toFixed(0)} MB\n`,
    );
    if (failures > 0 || peakMb >= 400) process.exitCode = 1;
    return p99;
  }

  await measure('warm-up');
  const baseline = await measure('no attack');
  for (const [name, options] of Object.entries(attacks)) {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { ...options, origin: server.origin },
    });
    if ((await measure(name)) > baseline + 250) process.exitCode = 1;
    await worker.terminate();
  }
}
