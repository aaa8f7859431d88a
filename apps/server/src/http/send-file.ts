import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { IRouter, RequestHandler } from 'express';
import { answerOtherMethods, refusePath } from './endpoints.ts';
import { appendHeader, setHeader } from './note-headers.ts';
import { send } from './send-response.ts';

const gzip = promisify(gzipWithCallback);

/** A file whose content is created once and does not change. */
export interface StaticFile {
  readonly type: string;
  readonly content: string;
  /** Whether the path contains a hash of the content, so that caches need not revalidate. */
  readonly immutable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Hashes a file for its name or its ETag. */
function digest(content: string): string {
  return hash('sha256', content, 'base64url');
}

/**
 * Creates a handler that sends a file. All responses share its bytes, so a caller that does not
 * read holds no memory of its own. With one compression stream for each response, 500 of such
 * callers held 100 MB.
 */
async function sendFile(file: StaticFile): Promise<RequestHandler> {
  const { type, content, immutable, headers = {} } = file;
  const tag = digest(content);
  const plain = Buffer.from(content);
  const gzipped = await gzip(plain);
  return function sendStaticFile(req, res) {
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
    // Each representation has an ETag of its own (RFC 9110, §8.8.3.3). `req.fresh` reads the ETag
    // from this header.
    res.setHeader('ETag', `"${tag}${compressed ? '-gzip' : ''}"`);
    if (req.fresh) send(res.status(304));
    else send(res, compressed ? gzipped : plain);
  };
}

/** Creates a handler that sends a file, which is created at the first request. */
export function sendFileFrom(create: () => Promise<StaticFile>): RequestHandler {
  return sendFilesFrom(async () => new Map([['', await create()]]));
}

/**
 * Creates a handler for several files, which are created together at the first request. The
 * parameter `file` of the path is the name of a file. The file under '' is sent for a path without
 * this parameter.
 */
export function sendFilesFrom(
  create: () => Promise<ReadonlyMap<string, StaticFile>>,
): RequestHandler {
  let handlers: Promise<ReadonlyMap<string, RequestHandler>> | undefined;
  async function createAll() {
    const files = [...(await create())];
    return new Map(
      await Promise.all(files.map(async ([name, file]) => [name, await sendFile(file)] as const)),
    );
  }
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
