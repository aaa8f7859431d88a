import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Route } from './route-table.ts';

/** A file that is created once, and sent as it is. */
export interface StaticFile {
  readonly type: string;
  /** The content, and a compressed form where it is worth the memory. */
  readonly bytes: Buffer;
  readonly gzipped?: Buffer;
  /** Whether the path contains a hash of the content, so that caches need not revalidate. */
  readonly immutable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Hashes a file for its name and its ETag. */
export function digest(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64url');
}

/** Creates a handler that responds with a file. */
export function sendFile(file: StaticFile): RequestHandler {
  const tag = digest(file.bytes);
  return function sendStaticFile(req, res) {
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
    // RFC 9110, §8.8.3.3: each representation has an ETag of its own.
    res.setHeader('ETag', `"${tag}${compressed ? '-gzip' : ''}"`);
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    res.setHeader('Content-Length', body.length);
    res.end(body);
  };
}

/**
 * Gives the routes of handlers that send files, by the same names: their paths.
 *
 * @param folder where the paths change with the content of the files, so they share one label.
 */
export function fileRoutes(
  handlers: Readonly<Record<string, RequestHandler>>,
  folder: string,
): Record<string, Route> {
  const routeOf = (path: string): Route => ({
    method: 'GET',
    path,
    label: path.startsWith(folder) ? `${folder}*` : path,
  });
  return Object.fromEntries(Object.keys(handlers).map((path) => [path, routeOf(path)]));
}
