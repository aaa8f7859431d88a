import { equal } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgres, openRedis, startServer, until } from '@animal-store/testkit';
import { startLoad } from '../support/load.ts';
import { percentile } from './percentile.ts';
import { createKey } from './start-with-stores.ts';

/**
 * The number of servers that run at the same time, and the number of processes that only use CPU
 * time. Whether Node hangs at its exit depends on the timing of V8's threads, so the CPU must be
 * busy.
 */
const [servers, busyLoops] = [3, 2];

/** The number of clients of each server, and how long they send requests before the stop. */
const [callers, loadMs] = [32, 400];

/**
 * How long a stop may take. A server under load stops within 10 s, and a process that hangs never
 * ends.
 */
const hangsAfterMs = 60_000;

/**
 * Starts servers, stops them under load, and checks that each process ends by itself with the exit
 * code 0. With Node 24, the process could hang in `process.exit()`
 * (https://github.com/nodejs/node/issues/64274). The campaign checks that this no longer happens.
 */
export async function run({ minutes }: { minutes: number }): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const [postgres, redis] = await Promise.all([openPostgres({ storage: 'disk' }), openRedis()]);
  opened.use(postgres);
  opened.use(redis);
  const { url } = await postgres.createDatabase();
  const { token } = await createKey(url);
  for (let n = 0; n < busyLoops; n += 1) {
    const loop: ChildProcess = spawn(process.execPath, ['-e', 'for (;;);']);
    opened.defer(() => void loop.kill('SIGKILL'));
  }
  const endsAt = performance.now() + minutes * 60_000;
  const stopMs: number[] = [];

  async function startAndStop(): Promise<void> {
    await using server = await startServer({ env: { DATABASE_URL: url, REDIS_URL: redis.url } });
    const load = startLoad({
      callers,
      pauseMs: 0,
      ask: async () => {
        const headers = { Authorization: `Bearer ${token}` };
        const response = await fetch(`${server.baseUrl}/pets`, { headers });
        await response.arrayBuffer();
        return response.status;
      },
    });
    // On a busy machine, the first responses may take longer than the load.
    await until(() => load.answers.includes(200));
    await pause(loadMs);
    const askedAt = performance.now();
    const code = await Promise.race([server.stop(), pause(hangsAfterMs, 'hangs' as const)]);
    stopMs.push(performance.now() - askedAt);
    await load.stop();
    equal(code, 0, `A server that was stopped under load ended with ${code}.\n${server.stderr()}`);
  }
  async function startAndStopAgain(): Promise<void> {
    while (performance.now() < endsAt) await startAndStop();
  }
  await Promise.all(Array.from({ length: servers }, startAndStopAgain));
  const [median, longest] = [percentile(stopMs, 0.5), Math.max(...stopMs)];
  process.stdout.write(
    `${stopMs.length} stops under load, none of which hung: median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms\n`,
  );
}
