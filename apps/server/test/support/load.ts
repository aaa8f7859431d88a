import { setTimeout as pause } from 'node:timers/promises';

export type Load<T> = ReturnType<typeof startLoad<T>>;

/**
 * Starts clients, each of which sends one request after another, until the load is stopped.
 *
 * @param options.ask sends the request of one round of a client; both are counted from 0.
 * @param options.pauseMs how long a client waits between an answer and its next request.
 */
export function startLoad<T>(options: {
  callers: number;
  pauseMs: number;
  ask: (round: number, client: number) => Promise<T>;
}) {
  const { callers, pauseMs, ask } = options;
  /** In their order. */
  const answers: T[] = [];
  /** Requests that got no answer: connections that were refused or broke. */
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

  /** Waits for the answers to the requests in flight, and sends no more. */
  async function stop(): Promise<void> {
    stopped = true;
    await Promise.all(clients);
  }
  return { answers, failures, stop, [Symbol.asyncDispose]: stop };
}
