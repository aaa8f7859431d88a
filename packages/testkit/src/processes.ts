import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

type ProcessEntry = { pid: number; parent: number; state: string };

/**
 * Freezes a process and everything below it, as SIGSTOP does for one.
 *
 * Not the process group: each backend of Postgres makes itself a session of its own.
 */
export function freeze(pid: number): number[] {
  const frozen = new Set<number>();
  // Repeated until no new process is found: a process can fork until the signal reaches it.
  for (let found = [pid]; found.length > 0; found = family(pid).filter((it) => !frozen.has(it))) {
    for (const it of found) {
      send(it, 'SIGSTOP');
      frozen.add(it);
    }
  }
  return [...frozen];
}

/** Continues a frozen process and everything below it, the children first. */
export function thaw(pid: number): void {
  for (const it of family(pid).reverse()) send(it, 'SIGCONT');
}

/** Kills a process, everything below it, and what is left of its process group. */
export function killFamily(pid: number): void {
  for (const it of freeze(pid)) send(it, 'SIGKILL');
  killGroup(pid);
}

/** Kills what is left of the process group of a process. */
export function killGroup(pid: number): void {
  send(-pid, 'SIGKILL');
}

/** Asks a process to end by `signal`, frozen or not; kills it with its family if it does not. */
export async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  send(pid, signal);
  thaw(pid);
  const deadline = performance.now() + 5_000;
  while (isRunning(pid) && performance.now() < deadline) await sleep(10);
  if (isRunning(pid)) killFamily(pid);
  else killGroup(pid);
}

/** Whether a process exists and is more than a zombie that its parent has not noticed. */
function isRunning(pid: number): boolean {
  const entry = processes().find((it) => it.pid === pid);
  return entry !== undefined && !entry.state.startsWith('Z');
}

/** A process and everything below it, parents before children. */
function family(root: number): number[] {
  const all = processes();
  const members = [root];
  for (const member of members) {
    for (const { pid, parent } of all) if (parent === member) members.push(pid);
  }
  return members;
}

function processes(): ProcessEntry[] {
  // Not `ps` on Linux: slim container images do not have it.
  return existsSync('/proc/self/stat') ? processesOfLinux() : processesByPs();
}

function processesOfLinux(): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // proc_pid_stat(5): pid (command) state parent …; a command may itself hold parentheses.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      entries.push({ pid: Number(name), parent: Number(parent), state });
    } catch {
      // It ended while we were looking.
    }
  }
  return entries;
}

function processesByPs(): ProcessEntry[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, state = ''] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), state };
    });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It is gone already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
