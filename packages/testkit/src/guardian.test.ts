import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { until } from './until.ts';

type Opened = { ports: number[]; directories: string[] };

/** A process that opens one of everything, pauses some, and says where they are. */
const opener = `
  import { openPostgres, openRedis, startServer, temporaryDirectory }
    from ${JSON.stringify(new URL('index.ts', import.meta.url))};
  const listening = \`
    const server = require('net').createServer().listen(0, '127.0.0.1', () =>
      console.log('Animal Store is listening on http://127.0.0.1:' + server.address().port + '/v1'));
  \`;
  const [postgres, redis, frozen, server, directory] = await Promise.all([
    openPostgres(), openRedis(), openRedis(),
    startServer({ command: [process.execPath, '-e', listening] }), temporaryDirectory(),
  ]);
  const home = async (redis) => (await redis.command('config', 'get', 'dir')).split('\\n')[1];
  const directories = [directory.path, server.dataDir, await home(redis), await home(frozen)];
  if (process.argv.includes('paused')) postgres.pause();
  frozen.pause();
  const ports = [postgres, redis, frozen, new URL(server.origin)].map((it) => +it.port);
  console.log(JSON.stringify({ ports, directories }));
`;

async function open(state: 'paused' | 'running') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', opener, state], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The leader of a process group, as a command in a terminal is.
    detached: true,
    // From any directory.
    cwd: '/',
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { pid: child.pid as number, ended: once(child, 'exit'), ...(JSON.parse(line) as Opened) };
}

function refuses(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}

test.each([
  ['is killed', 'SIGKILL', 'paused', (pid: number): boolean => process.kill(pid, 'SIGKILL')],
  [
    'is interrupted by Ctrl-C',
    'SIGINT',
    'running',
    (pid: number): boolean => process.kill(-pid, 'SIGINT'),
  ],
] as const)(
  'no process is left when the process that started it %s',
  async (_, signal, state, strike) => {
    const { pid, ended, ports, directories } = await open(state);
    expect(ports).toHaveLength(4);
    for (const port of ports) expect(await refuses(port)).toBe(false);
    for (const directory of directories) expect(existsSync(directory)).toBe(true);

    strike(pid);

    expect(await ended).toEqual([null, signal]);
    for (const port of ports) await until(() => refuses(port));
    for (const directory of directories) await until(() => !existsSync(directory));
  },
);
