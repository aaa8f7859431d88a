// What the steps of `npm run test:deploy` share: how to find and run programs, and to ask servers.

import { ok } from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer, temporaryDirectory } from '../../packages/testkit/src/index.ts';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The Node that the workspace installs, which the image is tested with. */
export const node = join(repository, 'node_modules', '.bin', 'node');

/** How long a container may take to be ready. */
export const containerMs = { timeoutMs: 60_000 };

/** The path of a program, or `undefined` if this machine does not have it. */
export function findProgram(name) {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/**
 * Runs a program to its end.
 *
 * @returns its output.
 * @throws an Error with all of its output, if it fails or takes too long.
 */
export function run(command, args, { timeoutMs = 120_000, ...options } = {}) {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      { cwd: repository, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, ...options },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ stdout, stderr });
        const end = error.killed ? `did not end within ${timeoutMs} ms` : `failed (${error.code})`;
        reject(new Error(`${command} ${args.join(' ')} ${end}:\n${stdout}\n${stderr}`));
      },
    );
  });
}

/** Starts a program that is ended with the scope. */
export function start(scope, command, args) {
  const child = spawn(command, args, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
  const streams = [child.stdout, child.stderr];
  let output = '';
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const exited = new Promise((resolve) => child.once('close', resolve));
  scope.defer(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    output: () => output,
    /** Waits until it says so, or ends. */
    untilOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => pattern.test(output) && resolve();
        for (const stream of streams) stream.on('data', look);
        exited.then(() => reject(new Error(`${command} ended:\n${output}`)));
        look();
      }),
  };
}

const adminToken = 'only-for-this-test-0123456789';

/** Starts a replica that is ended with the scope, with an admin token. */
export const startReplica = async (scope, env) =>
  scope.use(await startServer({ env: { ADMIN_TOKEN: adminToken, ...env } }));

/** Makes a directory that is removed with the scope. */
export const makeDirectory = async (scope) => scope.use(await temporaryDirectory()).path;

/** Gets something, or posts a body as JSON. */
export const ask = (url, token, body) =>
  fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Posts to the operators' API of a server, and gives the answer. */
export async function askAdmin({ opsUrl }, path, body = {}) {
  const response = await ask(`${opsUrl}/admin/v1${path}`, adminToken, body);
  const answer = await response.json();
  ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** What Prometheus is told at an address. */
export const readMetrics = async (url) => (await fetch(`${url}/metrics`)).text();
