import { setTimeout as pause } from 'node:timers/promises';

/** Requests that keep coming, as from so many clients, until it is stopped. */
export type Load<T> = AsyncDisposable & {
  /** What was answered, in the order of the answers. */
  readonly answers: readonly T[];
  /** Requests that got no answer: connections that were refused or broke. */
  readonly failures: readonly string[];
  /** Waits for the answers to the requests in flight, and sends no more. */
  stop(): Promise<void>;
};

/**
 * Starts clients, each of which sends one request after another.
 *
 * @param options.ask sends the request of one round of a client; both are counted from 0.
 * @param options.pauseMs how long a client waits between an answer and its next request.
 */
export function startLoad<T>(options: {
  callers: number;
  pauseMs: number;
  ask: (round: number, client: number) => Promise<T>;
}): Load<T> {
  const { callers, pauseMs, ask } = options;
  const answers: T[] = [];
  const failures: string[] = [];
  let stopped = false;

  async function call(client: number): Promise<void> {
    for (let round = 0; !stopped; round += 1) {
      try {
        answers.push(await ask(round, client));
      } catch (error) {
        failures.push(String(error));
      }
      await pause(pauseMs);
    }
  }
  const clients = Array.from({ length: callers }, (_, client) => call(client));

  async function stop(): Promise<void> {
    stopped = true;
    await Promise.all(clients);
  }
  return { answers, failures, stop, [Symbol.asyncDispose]: stop };
}
