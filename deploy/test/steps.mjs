// These functions are shared by all steps of `npm run test:deploy`. They find and run programs, and
// send requests.

import { ok } from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository, startServer, temporaryDirectory } from '../../packages/testkit/src/index.ts';
import { startChildProcess } from '../../packages/testkit/src/start-child-process.ts';

export { repository };

const execute = promisify(execFile);

/** The path of the workspace's own Node, which also runs in the tested image. */
export const node = join(repository, 'node_modules', '.bin', 'node');

/** How long a test waits for a container to become ready. */
export const containerMs = { timeoutMs: 60_000 };

/** Returns the path of a program; `undefined` if the program is not installed. */
export const findProgram = (name) =>
  spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim() || undefined;

/**
 * Runs a program until it exits.
 *
 * @returns its output.
 * @throws {Error} with the whole output, if the program fails or takes too long.
 */
export async function run(command, args, { timeoutMs: timeout = 120_000, ...more } = {}) {
  const options = { cwd: repository, timeout, maxBuffer: 64 * 1024 * 1024, ...more };
  return execute(command, args, options).catch(({ killed, code, stdout, stderr }) => {
    const end = killed ? `did not end within ${timeout} ms` : `failed (${code})`;
    throw new Error(`${command} ${args.join(' ')} ${end}:\n${stdout}\n${stderr}`);
  });
}

/** Starts a program that is killed at the end of the scope. */
export const start = async (scope, command, args) =>
  scope.use(await startChildProcess({ command, args, cwd: repository, endSignal: 'SIGKILL' }));

const adminToken = 'only-for-this-test-0123456789';

/** Starts a replica with an admin token. The replica is stopped at the end of the scope. */
export const startReplica = async (scope, env) =>
  scope.use(await startServer({ env: { ADMIN_TOKEN: adminToken, ...env } }));

/** Creates a directory that is removed at the end of the scope. */
export const makeDirectory = async (scope) => scope.use(await temporaryDirectory()).path;

/** Sends a GET request, or a POST request with a JSON body if `body` is given. */
export const ask = (url, token, body) =>
  fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Sends a POST request to the admin API of a replica, and returns the response body. */
export async function askAdmin({ opsUrl }, path, body = {}) {
  const response = await ask(`${opsUrl}/admin/v1${path}`, adminToken, body);
  const answer = await response.json();
  ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Fetches the metrics of a replica, as Prometheus does. */
export const readMetrics = async (url) => (await fetch(`${url}/metrics`)).text();
