import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends a signal to a process and its children.
 *
 * Not to the process group: each backend of Postgres makes itself a session of its own.
 */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  send(pid, signal);
  // Afterwards: one that is frozen forks no more.
  for (const child of childrenOf(pid)) send(child, signal);
}

/** Kills what is left of the process group of a process. */
export function killGroup(pid: number): void {
  send(-pid, 'SIGKILL');
}

/** Asks a process to end by `signal`, frozen or not; kills it with its group if it does not. */
export async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  send(pid, signal);
  signalFamily(pid, 'SIGCONT');
  const deadline = performance.now() + 30_000;
  while (send(pid, 0) && performance.now() < deadline) await sleep(10);
  killGroup(pid);
}

function childrenOf(pid: number): number[] {
  // Not `ps` on Linux: slim container images do not have it.
  const all = existsSync('/proc/self/stat')
    ? readdirSync('/proc').filter(Number).map(parentOnLinux)
    : execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
        .split('\n')
        .map((line) => line.trim().split(/\s+/));
  return all.filter(([, parent]) => Number(parent) === pid).map(([child]) => Number(child));
}

function parentOnLinux(pid: string): string[] {
  try {
    // proc_pid_stat(5): pid (command) state parent …; a command may itself hold parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return [pid, stat.slice(stat.lastIndexOf(')')).split(' ')[2] ?? ''];
  } catch {
    // It ended while we were looking.
    return [];
  }
}

/** @returns whether there is such a process. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}
