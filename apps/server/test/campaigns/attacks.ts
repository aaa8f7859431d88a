import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { closeOf, openConnection } from '@animal-store/testkit';
import { startLoad } from '../support/load.ts';
import { call } from '../support/test-service.ts';
import { percentile } from './percentile.ts';
import { type LoadedServer, startWithStores } from './start-with-stores.ts';

/**
 * The bytes that an attacker sends on each connection. When the server closes a connection, the
 * attacker opens a new one immediately.
 */
type Attack = {
  readonly connections: number;
  readonly bytes: string;
  /** Whether the attacker reads the responses. */
  readonly reads: boolean;
  /**
   * The attacker sends further bytes one at a time. This number is the time between two bytes, in
   * milliseconds.
   */
  readonly dripMs?: number;
};

// The requests of the attackers contain no API key.
const get = 'GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n';

const attacks: Readonly<Record<string, Attack>> = {
  pipelining: { connections: 12, bytes: get.repeat(20_000), reads: true },
  unread: { connections: 4, bytes: get.repeat(12_000), reads: false },
  slow: { connections: 1_000, bytes: `${get.slice(0, -2)}X: `, reads: true, dripMs: 200 },
};

const maxMegabytes = 400;
/**
 * The number of milliseconds by which an attack may increase the 99th percentile of a valid
 * caller's response times.
 */
const maxDelayMs = 250;

/**
 * Measures how attacks affect a valid caller. The server has a heap of 512 MB.
 *
 * @throws if a request of the valid caller fails, if the 99th percentile of its response times
 * rises by more than `maxDelayMs`, or if the server needs too much memory.
 */
export async function run({ minutes }: { minutes: number }): Promise<void> {
  await using loaded = await startWithStores({
    NODE_OPTIONS: '--max-old-space-size=512',
    HEADERS_TIMEOUT_MS: '2000',
    MAX_CONNECTIONS_PER_NETWORK: '0',
  });
  const forMs = (minutes * 60_000) / (Object.keys(attacks).length + 2);
  await measure('warm-up', loaded, forMs);
  const baselineMs = await measure('no attack', loaded, forMs);
  for (const [name, attack] of Object.entries(attacks)) {
    const origin = loaded.server.origin;
    const worker = new Worker(new URL(import.meta.url), { workerData: { ...attack, origin } });
    const p99 = await measure(name, loaded, forMs);
    await worker.terminate();
    if (p99 > baselineMs + maxDelayMs)
      throw new Error(`${name}: p99 is ${p99} ms, and ${baselineMs} ms without attack`);
  }
}

/**
 * Runs an attack and sends requests of a valid caller at the same time.
 *
 * @returns the 99th percentile of the valid caller's response times, in milliseconds.
 */
async function measure(name: string, loaded: LoadedServer, forMs: number): Promise<number> {
  const { server, token } = loaded;
  const takenMs: number[] = [];
  let peakMb = 0;
  const load = startLoad({
    callers: 8,
    pauseMs: 20,
    async ask() {
      const startedAt = performance.now();
      const { status } = await call(`${server.baseUrl}/pets`, { token });
      takenMs.push(performance.now() - startedAt);
      if (status !== 200) throw new Error(`A valid caller got ${status}.`);
      const memory = readFileSync(`/proc/${server.pid}/status`, 'utf8');
      peakMb = Math.max(peakMb, Number(/^VmRSS:\s+(\d+)/m.exec(memory)?.[1]) / 1_024);
    },
  });
  await pause(forMs);
  await load.stop();
  const p99 = percentile(takenMs, 0.99);
  const outcome = `${name}: ${takenMs.length} requests, p99 ${p99.toFixed(1)} ms, peak ${peakMb.toFixed(0)} MB`;
  process.stdout.write(`${outcome}\n`);
  if (load.failures.length > 0) throw new Error(load.failures[0]);
  if (!(peakMb < maxMegabytes)) throw new Error(outcome);
  return p99;
}

async function attack({
  origin,
  connections,
  ...each
}: Attack & { origin: string }): Promise<void> {
  async function keepAttacking(): Promise<void> {
    for (;;) {
      const socket = await openConnection(origin);
      const closed = closeOf(socket);
      if (each.reads) socket.resume();
      else socket.pause();
      socket.write(each.bytes);
      const dripping = setInterval(() => socket.write('a'), each.dripMs ?? 2 ** 30);
      await closed;
      clearInterval(dripping);
    }
  }
  await Promise.all(Array.from({ length: connections }, keepAttacking));
}

if (!isMainThread) await attack(workerData);
