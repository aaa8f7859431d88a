import type { RequestHandler } from 'express';
import { methodNotAllowed } from '../http/method-not-allowed.ts';
import type { ReferenceOptions } from './reference-document.ts';
import { createReferenceFiles, digest } from './reference-files.ts';

/**
 * Serves the reference: `/openapi.json`, `/docs` and what that page consists of. It needs no key and
 * costs no quota, so it only ever hands out bytes that were made at the start.
 */
export function reference(options: ReferenceOptions): RequestHandler {
  const files = createReferenceFiles(options);
  const etags = new Map([...files].map(([path, { bytes }]) => [path, digest(bytes)]));

  return function serveReference(req, res, next) {
    const target = redirectOf(req.path);
    const file = files.get(req.path);
    if (target === undefined && file === undefined) return next();
    // The files of the page are one route: their names change with their content.
    res.locals.route = req.path.startsWith('/docs/') ? '/docs/*' : req.path;
    // Programs that ask for the root get what they get for any path that does not exist.
    if (req.path === '/' && req.accepts(['json', 'html']) !== 'html') {
      res.vary('Accept');
      return next();
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw methodNotAllowed(['GET']);
    }
    if (file === undefined) {
      if (req.path === '/') res.vary('Accept');
      res.redirect(302, String(target));
      return;
    }

    const compressed = file.gzipped !== undefined && req.acceptsEncodings('gzip') === 'gzip';
    const body = compressed ? file.gzipped : file.bytes;
    for (const [name, value] of Object.entries(file.headers ?? {})) res.setHeader(name, value);
    res.setHeader('Content-Type', file.type);
    res.setHeader(
      'Cache-Control',
      file.immutable ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    );
    if (file.gzipped !== undefined) res.vary('Accept-Encoding');
    if (compressed) res.setHeader('Content-Encoding', 'gzip');
    // RFC 9110, §8.8.3.3: the two forms are two representations, each with its tag.
    res.setHeader('ETag', `"${etags.get(req.path)}${compressed ? '-gzip' : ''}"`);
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    res.setHeader('Content-Length', body.length);
    res.end(body);
  };
}

function redirectOf(path: string): string | undefined {
  return path === '/' || path === '/docs/' ? '/docs' : undefined;
}
