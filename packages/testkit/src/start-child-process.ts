import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanUpAtExit } from './clean-up-at-exit.ts';
import { end, killGroup, signalFamily } from './processes.ts';
import { hangMs } from './time-limits.ts';

/** How a process ended: by itself with an exit code, or by a signal. */
type ProcessExit = { code: number | null; signal: NodeJS.Signals | null };

export type StartedChildProcess = Awaited<ReturnType<typeof startChildProcess>>;

/** Starts a child process in its own session. The child also ends when this process ends. */
export async function startChildProcess(options: {
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment of the child. @default the environment of this process */
  env?: NodeJS.ProcessEnv;
  /** The user of the child. Only root can choose another user. @default the user of this process */
  user?: { uid: number; gid: number } | undefined;
  /** The signal that ends the child, at its disposal or when this process ends. */
  endSignal: NodeJS.Signals;
}) {
  const { command, args, cwd, env, user, endSignal } = options;
  const child = spawn(command, args, {
    cwd,
    env,
    ...user,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The child has its own session, so Ctrl-C ends only this process. `cleanUpAtExit` then ends the
    // child.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) {
    const [error] = await once(child, 'error');
    throw new Error(`Cannot run ${command}: ${error.message}`, { cause: error });
  }

  const forget = cleanUpAtExit({ pid, signal: endSignal });
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
    // If children of the child survived, they would keep its output open, and `close` would never
    // be emitted. So the whole process group is killed.
    killGroup(pid);
    forget();
  });
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });

  /**
   * Waits until the output of the child matches the pattern. If the child ends before the match,
   * the function throws an error with the whole output.
   */
  function untilOutput(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const fail = (what: string) => reject(new Error(`${command} ${what}\n${output.all}`));
    const look = () => {
      const match = pattern.exec(output.all);
      if (match) resolve(match);
    };
    const timer = setTimeout(
      () => fail(`printed no text that matches ${pattern} within ${hangMs} ms`),
      hangMs,
    );
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
    /** Returns everything that the child has written so far. */
    output: () => output.all,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    untilOutput,
    /** Resolves when the child has ended and its output is complete. Never rejects. */
    exited,
    /** Sends a signal to the child. Does nothing if the child has ended. */
    signal(name: NodeJS.Signals) {
      if (running) process.kill(pid, name);
    },
    /**
     * Freezes the child and its own children. Existing connections hang, and new connections wait.
     */
    pause() {
      if (running) signalFamily(pid, 'SIGSTOP');
    },
    resume() {
      if (running) signalFamily(pid, 'SIGCONT');
    },
    /** Sends SIGKILL to the process group of the child, and waits for its end. */
    async kill() {
      if (running) killGroup(pid);
      await exited;
    },
    /**
     * Ends the child by `endSignal`, or by SIGKILL if it does not end in time, and waits for its
     * end.
     */
    async [Symbol.asyncDispose]() {
      if (running) await end(pid, endSignal);
      await exited;
    },
  };
}
