import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { guard } from './guard.ts';
import { end, killGroup, signalFamily } from './processes.ts';
import { hangMs } from './time-limits.ts';

/** How a process ended: by itself with a `code`, or by a `signal`. */
type ProcessExit = { code: number | null; signal: NodeJS.Signals | null };

export type GuardedProcess = Awaited<ReturnType<typeof startGuarded>>;

/** Starts a child process in a session of its own that does not outlive this one. */
export async function startGuarded(options: {
  command: string;
  args: readonly string[];
  cwd: string;
  /** Its whole environment. @default the environment of this process */
  env?: NodeJS.ProcessEnv;
  /** The user to run as; only root can choose. @default the user of this process */
  user?: { uid: number; gid: number } | undefined;
  /** The signal with which its disposal and the guardian end it. */
  endSignal: NodeJS.Signals;
}) {
  const { command, args, cwd, env, user, endSignal } = options;
  const child = spawn(command, args, {
    cwd,
    env,
    ...user,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The child has its own session: Ctrl-C is for this process, and the guardian does the rest.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) {
    const [error] = await once(child, 'error');
    throw new Error(`Cannot run ${command}: ${error.message}`, { cause: error });
  }

  const release = guard({ pid, signal: endSignal });
  let running = true;
  const output = { all: '', stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      output.all += text;
    });
  }
  child.once('exit', () => {
    running = false;
    // Otherwise its children keep its output open, and `close` is never emitted.
    killGroup(pid);
    release();
  });
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });

  /**
   * Waits until its output matches. Throws an error with its whole output if it ends before that.
   */
  function untilOutput(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const fail = (what: string) => reject(new Error(`${command} ${what}\n${output.all}`));
    const look = () => {
      const match = pattern.exec(output.all);
      if (match) resolve(match);
    };
    const timer = setTimeout(() => fail(`did not say ${pattern} within ${hangMs} ms`), hangMs);
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    exited.then(({ code, signal }) => fail(`ended with ${signal ?? `exit code ${code}`}`));
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      child.stdout.off('data', look);
      child.stderr.off('data', look);
    });
  }

  return {
    pid,
    /** Everything it has written so far. */
    output: () => output.all,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    untilOutput,
    /** Settles when it has ended and its output is complete. Never rejects. */
    exited,
    /** Sends a signal. Does nothing after it has ended. */
    signal(name: NodeJS.Signals) {
      if (running) process.kill(pid, name);
    },
    /** Freezes it and its children: existing connections hang, and new ones wait. */
    pause() {
      if (running) signalFamily(pid, 'SIGSTOP');
    },
    resume() {
      if (running) signalFamily(pid, 'SIGCONT');
    },
    /** Sends SIGKILL to its process group, and waits. */
    async kill() {
      if (running) killGroup(pid);
      await exited;
    },
    /** Ends it by its `endSignal`, by SIGKILL if that does not help, and waits. */
    async [Symbol.asyncDispose]() {
      if (running) await end(pid, endSignal);
      await exited;
    },
  };
}
