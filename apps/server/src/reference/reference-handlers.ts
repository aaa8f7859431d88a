import type { RequestHandler } from 'express';
import { HttpError } from '../http/http-error.ts';
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
