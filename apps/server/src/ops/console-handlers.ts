import { createConsoleFiles } from '@animal-store/console';
import type { RequestHandler } from 'express';
import { sendFile } from '../http/send-file.ts';

/**
 * Creates the handlers of the console's files, by path. They need no token: they are the same for
 * everybody, and what they show comes from the admin API.
 */
export function createConsoleHandlers(): Record<string, RequestHandler> {
  const { paths, load } = createConsoleFiles();
  const handlers = async () =>
    new Map([...(await load())].map(([path, file]) => [path, sendFile(file)]));
  let loading: ReturnType<typeof handlers> | undefined;

  const sendFrom = (path: string): RequestHandler =>
    async function sendConsoleFile(req, res, next) {
      loading ??= handlers();
      const send = (await loading).get(path);
      if (send === undefined) throw new Error(`The console has no file ${path}.`);
      send(req, res, next);
    };
  return Object.fromEntries(paths.map((path) => [path, sendFrom(path)]));
}
