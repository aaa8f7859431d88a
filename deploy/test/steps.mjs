// What the steps of `npm run test:deploy` share: how to find and run programs, and to wait.

import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The Node that the workspace installs, which the image is tested with. */
export const node = join(repository, 'node_modules', '.bin', 'node');

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
export function run(command, args, { timeoutMs = 120_000, input, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      { cwd: repository, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, ...options },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ stdout, stderr });
        const end = error.killed ? `did not end within ${timeoutMs} ms` : `failed (${error.code})`;
        reject(new Error(`${command} ${args.join(' ')} ${end}:\n${stdout}\n${stderr}`));
      },
    );
    if (input !== undefined) child.stdin.end(input);
  });
}

/** Starts a program that is ended with the scope. */
export function start(scope, command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
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
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
        exited.then(() => reject(new Error(`${command} ended:\n${output}`)));
        look();
      }),
  };
}

/** The token of the servers that have operators' requests. */
export const adminToken = 'only-for-this-test-0123456789';

/** Asks the operators' API of a server. */
export async function askAdmin({ opsUrl }, method, path, body) {
  const response = await fetch(`${opsUrl}/admin/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  expect(response.ok, `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** How long a container may take to be ready. */
export const containerMs = 60_000;

/** Waits until something is truthy, and gives that. */
export async function until(ask, what, timeoutMs = 10_000) {
  const end = Date.now() + timeoutMs;
  let failure;
  while (Date.now() < end) {
    try {
      const result = await ask();
      if (result) return result;
    } catch (error) {
      failure = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what} did not come about within ${timeoutMs} ms.`, { cause: failure });
}

/** @throws an Error that says what was expected. */
export function expect(isAsExpected, message) {
  if (!isAsExpected) throw new Error(message);
}
