import type { RequestHandler } from 'express';
import { HttpError } from '../http/http-error.ts';
import type { Route } from '../http/route-table.ts';
import { sendFile } from '../http/send-file.ts';
import type { ReferenceOptions } from './reference-document.ts';
import { createReferenceFiles } from './reference-files.ts';

/** Paths that lead to the page. */
const redirects = ['/', '/docs/'];

/**
 * Creates the handlers of the reference, by path: `/openapi.json`, `/docs` and the files of that page.
 * They need no key and cost no quota, so they only send bytes that were created at the start.
 */
export function referenceHandlers(options: ReferenceOptions): Record<string, RequestHandler> {
  const files = [...createReferenceFiles(options)];
  return Object.fromEntries([
    ...files.map(([path, file]) => [path, sendFile(file)]),
    ...redirects.map((path) => [path, redirectToPage]),
  ]);
}

/** Gives the routes of the handlers, with the same names. */
export function referenceRoutes(
  handlers: Readonly<Record<string, RequestHandler>>,
): Record<string, Route> {
  const routeOf = (path: string): Route => ({
    method: 'GET',
    path,
    // One label, because the names of these files change with their content.
    label: path.startsWith('/docs/') ? '/docs/*' : path,
  });
  return Object.fromEntries(Object.keys(handlers).map((path) => [path, routeOf(path)]));
}

const redirectToPage: RequestHandler = (req, res) => {
  if (req.path === '/') {
    res.vary('Accept');
    // Programs get the 404 of any unknown path. Only browsers are redirected.
    if (req.accepts(['json', 'html']) !== 'html') {
      throw new HttpError('not_found', 'There is no such path. The API is under /v1.');
    }
  }
  res.redirect(302, '/docs');
};
