import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends a signal to a process and to its children. The process group cannot be used for this,
 * because each backend of Postgres has its own session, and so its own process group.
 */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  send(pid, signal);
  // The children are listed after the parent was signalled, because a frozen process starts no more
  // children.
  for (const child of childrenOf(pid)) send(child, signal);
}

/** Kills all remaining processes of a process group. */
export function killGroup(pid: number): void {
  send(-pid, 'SIGKILL');
}

/**
 * Ends a process by `signal`, even if it is frozen. If it does not end in time, it is killed
 * together with its group.
 */
export async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  send(pid, signal);
  signalFamily(pid, 'SIGCONT');
  const deadline = performance.now() + 30_000;
  while (send(pid, 0) && performance.now() < deadline) await sleep(10);
  killGroup(pid);
}

function childrenOf(pid: number): number[] {
  // `ps` is missing in slim container images, so on Linux the processes are read from /proc.
  const all = existsSync('/proc/self/stat')
    ? readdirSync('/proc').filter(Number).map(parentOnLinux)
    : execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
        .split('\n')
        .map((line) => line.trim().split(/\s+/));
  return all.filter(([, parent]) => Number(parent) === pid).map(([child]) => Number(child));
}

function parentOnLinux(pid: string): string[] {
  try {
    // The manual page proc_pid_stat(5) describes the format: pid (command) state parent …. The
    // command may contain parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return [pid, stat.slice(stat.lastIndexOf(')')).split(' ')[2] ?? ''];
  } catch {
    // The file is missing if the process has ended since the processes were listed.
    return [];
  }
}

/**
 * Sends a signal. Signal 0 only checks whether the process exists.
 *
 * @returns whether the process exists.
 */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}
