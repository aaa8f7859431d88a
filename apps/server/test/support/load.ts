import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '@animal-store/testkit';
import type { Replicas, Reply } from './replicas.ts';

/** Requests that keep coming, as from so many clients, until it is stopped. */
export type Load = {
  /** What was answered since the last look, in the order of the answers. */
  take(): LoadReport;
  /** How many answers there have been. */
  readonly answered: number;
  stop(): Promise<void>;
};

type LoadReport = {
  readonly replies: readonly Reply[];
  /** Requests that got no answer: connections that broke, or an answer that never came. */
  readonly failures: readonly unknown[];
};

/** How long a client waits between an answer and its next request. */
const paceMs = 100;

/** Lets so many clients call one server with one key. */
export function startLoad(
  replicas: Pick<Replicas, 'ask'>,
  options: { server: Server; token: string; callers: number },
): Load {
  const { server, token, callers } = options;
  let replies: Reply[] = [];
  let failures: unknown[] = [];
  let answered = 0;
  let stopped = false;

  async function call() {
    while (!stopped) {
      try {
        replies.push(await replicas.ask(server, token));
      } catch (failure) {
        failures.push(failure);
      }
      answered += 1;
      await pause(paceMs);
    }
  }
  const clients = Array.from({ length: callers }, call);

  return {
    take() {
      const report = { replies, failures };
      replies = [];
      failures = [];
      return report;
    },
    get answered() {
      return answered;
    },
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
  };
}
