import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/**
 * The processors of the programs. The server under test has one processor to itself. The load
 * generator, Redis and Postgres share the other processors, as if they ran on other machines.
 */
const count = cpus().length;
const serverCpus = '0';
const otherCpus = count === 2 ? '1' : `1-${count - 1}`;

const canPin = count > 1 && spawnSync('taskset', ['--version']).error === undefined;

/**
 * The command `taskset` and its arguments, which pin a server to the processor under test. They are
 * placed in front of the command that starts the server.
 */
export const onServerCpus: readonly string[] = canPin ? ['taskset', '-c', serverCpus] : [];

/**
 * Moves this process, and every process that it starts later, to the processors that are not
 * reserved for the server under test.
 */
export function pinThisProcess(): void {
  if (!canPin) return;
  execFileSync('taskset', ['-a', '-c', '-p', otherCpus, String(process.pid)], { stdio: 'ignore' });
}

export function describeMachine(): string {
  const pinned = canPin
    ? `server on processor ${serverCpus}, everything else on ${otherCpus}`
    : 'the command taskset is missing, so the server, the stores and the load generator share all processors';
  return `${cpus()[0]?.model.trim()}, ${count} processors; ${pinned}`;
}

/**
 * The number of ticks in a second. /proc reports some CPU times in ticks. Their length is the same
 * on every platform that Node supports.
 */
const ticksPerSecond = 100;

/** Returns the CPU time that a process and its children have used so far, in nanoseconds. */
export function cpuTimeNs(pid: number): number {
  let total = 0;
  try {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      // The first number of `schedstat` is the CPU time in nanoseconds (proc_pid_schedstat(5)).
      // /proc/PID/stat only counts in ticks of 10 ms.
      total += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
      const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
      for (const child of children === '' ? [] : children.split(' ')) {
        total += cpuTimeNs(Number(child));
      }
    }
    return total + endedChildrenNs(pid);
  } catch (error) {
    // The process has ended since the list of processes was read. For example, Postgres ends the
    // process of a closed connection. `endedChildrenNs` of the parent process now includes the CPU
    // time of this process.
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return total;
    throw error;
  }
}

/**
 * Returns the CPU time of the children that have ended, from fields 16 and 17 of /proc/PID/stat
 * (proc_pid_stat(5)).
 */
function endedChildrenNs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[13]) + Number(fields[14])) / ticksPerSecond) * 1e9;
}

/** Returns the resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
