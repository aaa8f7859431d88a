import { setTimeout as pause } from 'node:timers/promises';

export type Load<T> = ReturnType<typeof startLoad<T>>;

/**
 * Starts clients that send one request after another until the load is stopped.
 *
 * @param options.ask a function that sends a request. It gets the number of the client and of the
 * client's request, both counted from 0.
 * @param options.pauseMs the pause between a response and the next request of the same client.
 */
export function startLoad<T>(options: {
  callers: number;
  pauseMs: number;
  ask: (round: number, client: number) => Promise<T>;
}) {
  const { callers, pauseMs, ask } = options;
  /** The responses, in the order in which they arrived. */
  const answers: T[] = [];
  /** The errors of requests that got no response, because the connection was refused or lost. */
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

  /** Stops sending requests, and waits for the responses to the requests in flight. */
  async function stop(): Promise<void> {
    stopped = true;
    await Promise.all(clients);
  }
  return { answers, failures, stop, [Symbol.asyncDispose]: stop };
}
