import { createConsoleFiles } from '@animal-store/console';
import type { RequestHandler } from 'express';
import type { Route } from '../http/route-table.ts';
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

/** Gives the routes of the handlers, with the same names. */
export function consoleRoutes(
  handlers: Readonly<Record<string, RequestHandler>>,
): Record<string, Route> {
  const routeOf = (path: string): Route => ({
    method: 'GET',
    path,
    // One label, because the paths of these files change with their content.
    label: path.startsWith('/console/') ? '/console/*' : path,
  });
  return Object.fromEntries(Object.keys(handlers).map((path) => [path, routeOf(path)]));
}
