import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/**
 * A resource that must not outlive this process: a process, which is ended by `signal`, or a
 * directory.
 */
export type Charge = { pid: number; signal: NodeJS.Signals } | { directory: string };

/** A line from this process to its guardian. */
export type GuardianOrder = { order: 'guard' | 'release'; charge: Charge };

let guardian: ChildProcess | undefined;

/**
 * Registers something with the guardian, which cleans it up when this process ends in any way, SIGKILL
 * included. Call the returned function after cleaning it up yourself.
 */
export function guard(charge: Charge): () => void {
  tell({ order: 'guard', charge });
  return () => tell({ order: 'release', charge });
}

/** Node writes a short line to a pipe synchronously, so no order is lost. */
function tell(order: GuardianOrder): void {
  guardian ??= startGuardian();
  guardian.stdin?.write(`${JSON.stringify(order)}\n`);
}

function startGuardian(): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL('guardian.ts', import.meta.url))], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // The guardian has its own session, because Ctrl-C in a terminal reaches the whole foreground
    // process group.
    detached: true,
    // The guardian gets no NODE_OPTIONS of ours (a debugger, a profiler), and its working directory
    // is not one that it removes.
    env: {},
    cwd: '/',
  });
  // If somebody kills the guardian, resources that are closed normally are still cleaned up.
  child.stdin.on('error', () => {});
  child.on('error', () => {});
  // The guardian must not keep this process alive, because it waits for this process to end.
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}
