import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/**
 * A resource that must not outlive this process: a directory to remove, or another process to end
 * by `signal`.
 */
export type Resource = { pid: number; signal: NodeJS.Signals } | { directory: string };

/** A message to the clean-up process, written as one line. */
export type CleanUpMessage = { action: 'add' | 'remove'; resource: Resource };

let cleanUpProcess: ChildProcess | undefined;

/**
 * Ends or removes a resource when this process ends in any way, even by SIGKILL. A separate process
 * does this (see `clean-up-process.ts`).
 *
 * @returns a function that cancels the clean-up. Call it after you have cleaned up the resource
 *   yourself.
 */
export function cleanUpAtExit(resource: Resource): () => void {
  send({ action: 'add', resource });
  return () => send({ action: 'remove', resource });
}

/**
 * Sends a message to the clean-up process, which the first message starts. Node writes a short line
 * to a pipe synchronously, so no message is lost.
 */
function send(message: CleanUpMessage): void {
  cleanUpProcess ??= startCleanUpProcess();
  cleanUpProcess.stdin?.write(`${JSON.stringify(message)}\n`);
}

function startCleanUpProcess(): ChildProcess {
  const program = fileURLToPath(new URL('clean-up-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // The clean-up process has its own session. Otherwise Ctrl-C in a terminal would end it too,
    // because Ctrl-C reaches all processes of the foreground group.
    detached: true,
    // The clean-up process must not inherit NODE_OPTIONS, which may start a debugger. Its working
    // directory must not be a directory that it removes.
    env: {},
    cwd: '/',
  });
  // If someone kills the clean-up process, the tests continue. Resources that are closed normally
  // are still cleaned up.
  child.stdin.on('error', () => {});
  child.on('error', () => {});
  // The clean-up process waits for the end of this process, so it must not keep this process alive.
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}
