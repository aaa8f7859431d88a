import { once } from 'node:events';
import type { Profiler } from 'node:inspector';
import { type Server, until } from '@animal-store/testkit';

/** Lets a server be asked which of its files run. To be given to it as its environment. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Which files of the server run, in whole, from one call to the next. */
export type ExecutedFiles = AsyncDisposable & { take(): Promise<Set<string>> };

/** Connects to a server with {@link inspectable}, and counts the calls of its functions from now on. */
export async function openExecutedFiles(server: Server): Promise<ExecutedFiles> {
  const [url] = await until(() => /ws:\/\/\S+/.exec(server.output()));
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let lastId = 0;

  async function ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++lastId;
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [{ data }] = await once(socket, 'message');
      const reply = JSON.parse(data);
      if (reply.id === id) return reply.result;
    }
  }
  await ask('Profiler.enable');
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  return {
    async take() {
      const taken = (await ask(
        'Profiler.takePreciseCoverage',
      )) as Profiler.TakePreciseCoverageReturnType;
      const executed = taken.result.filter(({ functions }) =>
        functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
      );
      const files = executed.map(({ url: file }) => file.split('/apps/server/src/')[1]);
      return new Set(files.filter((file) => file !== undefined));
    },
    async [Symbol.asyncDispose]() {
      socket.close();
    },
  };
}
