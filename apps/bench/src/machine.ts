import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/**
 * Assigns the processors: the server has one to itself. The load generator, Redis and Postgres have
 * the others, as if they were on other machines.
 */
const count = cpus().length;
const serverCpus = '0';
const otherCpus = count === 2 ? '1' : `1-${count - 1}`;

const canPin = count > 1 && spawnSync('taskset', ['--version']).error === undefined;

/** Adds `taskset` in front of a server's command. */
export const onServerCpus: readonly string[] = canPin ? ['taskset', '-c', serverCpus] : [];

/** Moves this process to the other processors. Its children inherit them. */
export function pinThisProcess(): void {
  if (!canPin) return;
  execFileSync('taskset', ['-a', '-c', '-p', otherCpus, String(process.pid)], { stdio: 'ignore' });
}

export function describeMachine(): string {
  const pinned = canPin
    ? `server on processor ${serverCpus}, everything else on ${otherCpus}`
    : 'no taskset: server, stores and load generator share all processors';
  return `${cpus()[0]?.model.trim()}, ${count} processors; ${pinned}`;
}

/** Ticks per second of /proc, on every platform that Node runs on. */
const ticksPerSecond = 100;

/** The processor time that a process and its children have used so far, in nanoseconds. */
export function cpuTimeNs(pid: number): number {
  let total = 0;
  try {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      // The first number is exact, unlike the ticks of /proc/PID/stat. proc_pid_schedstat(5): time
      // on the processor in ns, time waiting for it, number of slices.
      total += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
      const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
      for (const child of children === '' ? [] : children.split(' ')) {
        total += cpuTimeNs(Number(child));
      }
    }
    return total + endedChildrenNs(pid);
  } catch (error) {
    // The process has ended, like some connections to Postgres. Its time now belongs to the ended
    // children.
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return total;
    throw error;
  }
}

/** The time of children that have ended. proc_pid_stat(5): fields 16 and 17, in ticks. */
function endedChildrenNs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[13]) + Number(fields[14])) / ticksPerSecond) * 1e9;
}

/** The resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
