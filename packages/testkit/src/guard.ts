import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/**
 * A resource that must not outlive this process: a directory, or a process, which is ended by
 * `signal`.
 */
export type Charge = { pid: number; signal: NodeJS.Signals } | { directory: string };

/** An order from this process to its guardian, written as one line. */
export type GuardianOrder = { order: 'guard' | 'release'; charge: Charge };

let guardian: ChildProcess | undefined;

/**
 * Registers a resource with the guardian, which is a separate process (see `guardian.ts`). If this
 * process ends in any way, even by SIGKILL, the guardian cleans the resource up.
 *
 * @returns a function that removes the registration. Call it after you have cleaned the resource up
 *   yourself.
 */
export function guard(charge: Charge): () => void {
  tell({ order: 'guard', charge });
  return () => tell({ order: 'release', charge });
}

/**
 * Sends an order to the guardian, and starts the guardian at the first order. Node writes a short
 * line to a pipe synchronously, so no order is lost.
 */
function tell(order: GuardianOrder): void {
  guardian ??= startGuardian();
  guardian.stdin?.write(`${JSON.stringify(order)}\n`);
}

function startGuardian(): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL('guardian.ts', import.meta.url))], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // The guardian has its own session. Otherwise Ctrl-C in a terminal would end it too, because
    // Ctrl-C reaches all processes of the foreground group.
    detached: true,
    // The guardian must not inherit NODE_OPTIONS, which may start a debugger. Its working directory
    // must not be a directory that it removes.
    env: {},
    cwd: '/',
  });
  // If someone kills the guardian, the tests continue. Resources that are closed normally are still
  // cleaned up.
  child.stdin.on('error', () => {});
  child.on('error', () => {});
  // The guardian waits for the end of this process, so it must not keep this process alive.
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}
