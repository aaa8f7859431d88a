import { hash } from 'node:crypto';
import { finished } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip as gunzipWithCallback } from 'node:zlib';
import type { IRouter, RequestHandler, Response } from 'express';
import { answerOtherMethods, refusePath } from './endpoints.ts';
import { appendHeader, setHeader } from './note-headers.ts';
import { send } from './send-response.ts';

const gunzip = promisify(gunzipWithCallback);

/** A file that is created once, and sent as it is. */
export interface StaticFile {
  readonly type: string;
  /** The content, as gzip in one member. */
  readonly gzipped: Buffer;
  /** Whether the path contains a hash of the content, so that caches need not revalidate. */
  readonly immutable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Hashes a file for its name or its ETag. */
export function digest(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64url');
}

/** Creates a handler that responds with a file. */
function sendFile({ type, gzipped, immutable, headers = {} }: StaticFile): RequestHandler {
  const tag = digest(gzipped);
  // RFC 1952, §2.3.1: the last four bytes are the size of the content.
  const plainLength = gzipped.readUInt32LE(gzipped.length - 4);
  const decompress = shareDecompression(gzipped);
  return async function sendStaticFile(req, res) {
    const compressed = req.acceptsEncodings('gzip') === 'gzip';
    for (const [name, value] of Object.entries(headers)) setHeader(res, name, value);
    setHeader(res, 'Content-Type', type);
    setHeader(
      res,
      'Cache-Control',
      immutable ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    );
    appendHeader(res, 'Vary', 'Accept-Encoding');
    if (compressed) setHeader(res, 'Content-Encoding', 'gzip');
    // RFC 9110, §8.8.3.3: each representation has an ETag of its own. `req.fresh` looks for it here.
    res.setHeader('ETag', `"${tag}${compressed ? '-gzip' : ''}"`);
    if (req.fresh) send(res.status(304));
    else if (compressed) send(res, gzipped);
    else if (req.method === 'HEAD') send(res, undefined, plainLength);
    else send(res, await decompress(res));
  };
}

/** Creates a handler that responds with a file that is created when it is first requested. */
export function sendFileFrom(create: () => Promise<StaticFile>): RequestHandler {
  return sendFilesFrom(async () => new Map([['', await create()]]));
}

/**
 * Creates a handler that responds with files that are created together, when one is first requested. The parameter
 * `file` of the path is a file's name, and '' is that of the file whose path has no parameter.
 */
export function sendFilesFrom(
  create: () => Promise<ReadonlyMap<string, StaticFile>>,
): RequestHandler {
  let handlers: Promise<ReadonlyMap<string, RequestHandler>> | undefined;
  const createAll = async () =>
    new Map([...(await create())].map(([name, file]) => [name, sendFile(file)]));
  return async function sendCreatedFile(req, res, next) {
    handlers ??= createAll().catch((error: unknown) => {
      // The next request tries again.
      handlers = undefined;
      throw error;
    });
    const handler = (await handlers).get(String(req.params['file'] ?? '')) ?? refusePath;
    await handler(req, res, next);
  };
}

/**
 * Creates a function that gives the plain content to the few clients that do not accept gzip. All that
 * are receiving it share the bytes, so callers who do not read hold no memory of their own. With a
 * stream for each, 500 of them held 100 MB.
 */
function shareDecompression(gzipped: Buffer): (receiver: Response) => Promise<Buffer> {
  let receivers = 0;
  let plain: Promise<Buffer> | undefined;
  return function decompress(receiver) {
    receivers += 1;
    finished(receiver, () => {
      receivers -= 1;
      if (receivers === 0) plain = undefined;
    });
    plain ??= gunzip(gzipped);
    return plain;
  };
}

/** Registers handlers that send files, by path. */
export function addFiles(
  router: IRouter,
  handlers: Readonly<Record<string, RequestHandler>>,
  admit: RequestHandler,
): void {
  for (const [path, send] of Object.entries(handlers)) {
    router.get(path, admit, send);
    answerOtherMethods(router, [{ method: 'GET', path }], admit);
  }
}
