import { createDocsFiles, type DocsFile, type DocsOptions, docsPaths } from '@animal-store/docs';
import { appendHeader, HttpError, send, sendFileFrom, setHeader } from '@animal-store/http-server';
import type { RequestHandler } from 'express';

/** The paths that redirect to another path. `/docs/api` was a page in earlier versions. */
const redirects = {
  '/': docsPaths.home,
  '/docs/': docsPaths.home,
  '/docs/guides': docsPaths.home,
  '/docs/api': docsPaths.operations,
};

/**
 * Creates the handlers of the documentation, with their paths as keys: `/openapi.json`,
 * `/llms.txt`, and `/docs` with its pages and files. The names of the files contain a hash of their
 * content. These paths need no API key, and all callers get the same content.
 */
export function docsHandlers(options: DocsOptions) {
  const { pages, files } = createDocsFiles(options);
  return {
    pages: {
      ...sendAll(pages),
      ...Object.fromEntries(
        Object.entries(redirects).map(([path, target]) => [path, redirectTo(target)]),
      ),
    },
    files: sendAll(files),
  };
}

const sendAll = (
  sources: ReadonlyMap<string, () => Promise<DocsFile>>,
): Record<string, RequestHandler> =>
  Object.fromEntries([...sources].map(([path, source]) => [path, sendFileFrom(source)]));

function redirectTo(target: string): RequestHandler {
  return function redirectToPage(req, res) {
    if (req.path === '/') {
      appendHeader(res, 'Vary', 'Accept');
      // Only browsers are redirected. Programs get the same 404 as for an unknown path.
      if (req.accepts(['json', 'html']) !== 'html') {
        throw new HttpError('not_found', 'There is no such path. The API is under /v1.');
      }
    }
    setHeader(res, 'Location', target);
    setHeader(res, 'Content-Type', 'text/plain; charset=utf-8');
    send(res.status(302), `The reference is at ${target}.`);
  };
}
