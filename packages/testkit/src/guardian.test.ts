import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { until } from './until.ts';

/** A process that opens some of everything, freezes it, and says what must end with it. */
const opener = `
  import { openPostgres, openRedis, temporaryDirectory }
    from ${JSON.stringify(new URL('index.ts', import.meta.url))};
  const [postgres, redis, directory] =
    await Promise.all([openPostgres(), openRedis(), temporaryDirectory()]);
  const home = (await redis.command('config', 'get', 'dir')).split('\\n')[1];
  for (const frozen of [postgres, redis]) frozen.pause();
  console.log(JSON.stringify([directory.path, home, postgres.port, redis.port]));
`;

/** Whether there is such a directory, or somebody listens on such a port. */
function exists(place: string | number): boolean | Promise<boolean> {
  if (typeof place === 'string') return existsSync(place);
  return new Promise((resolve) => {
    const socket = connect(place, '127.0.0.1');
    socket.on('connect', () => socket.destroy()).on('error', () => resolve(false));
    socket.on('close', () => resolve(true));
  });
}

test.each([
  ['is killed', 'SIGKILL', 1],
  ['is interrupted by Ctrl-C', 'SIGINT', -1],
] as const)('nothing is left when the process that opened it %s', async (_what, signal, sign) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', opener], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The leader of a process group, as a command in a terminal is.
    detached: true,
    // From any directory.
    cwd: '/',
  });
  const ended = once(child, 'exit');
  const [line] = await once(createInterface(child.stdout), 'line');
  const opened = JSON.parse(line) as (string | number)[];
  expect(await Promise.all(opened.map(exists))).toEqual([true, true, true, true]);

  process.kill(sign * (child.pid as number), signal);

  expect(await ended).toEqual([null, signal]);
  for (const place of opened) await until(async () => !(await exists(place)));
});
