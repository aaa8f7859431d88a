import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { IRouter, RequestHandler } from 'express';
import { appendHeader, setHeader } from './collected-headers.ts';
import { answerOtherMethods, refusePath } from './endpoints.ts';
import { send } from './send-response.ts';

const gzip = promisify(gzipWithCallback);

/** A static file. Its content is created once and does not change. */
export interface StaticFile {
  readonly type: string;
  readonly content: string;
  /**
   * Whether caches may keep the file without revalidating it, because its path contains a hash of
   * its content.
   */
  readonly immutable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the hash of a file's content for its name or its ETag. */
function digest(content: string): string {
  return hash('sha256', content, 'base64url');
}

/**
 * Creates a handler that sends a file. All responses share the bytes of the file, so a client that
 * does not read its response uses no additional memory. With one compression stream per response,
 * 500 of these clients used 100 MB.
 */
async function sendFile(file: StaticFile): Promise<RequestHandler> {
  const { type, content, immutable, headers = {} } = file;
  const tag = digest(content);
  const plain = Buffer.from(content);
  // Each file is compressed only once, so even the highest compression level takes little CPU time.
  const gzipped = await gzip(plain, { level: 9 });
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
    // The compressed and the plain file have different ETags (RFC 9110, §8.8.3.3). The ETag is set
    // on the response directly, because `req.fresh` reads it from there.
    res.setHeader('ETag', `"${tag}${compressed ? '-gzip' : ''}"`);
    if (req.fresh) send(res.status(304));
    else send(res, compressed ? gzipped : plain);
  };
}

/** Creates a handler that sends one file. The file is created at the first request. */
export function sendFileFrom(create: () => Promise<StaticFile>): RequestHandler {
  return sendFilesFrom(async () => new Map([['', await create()]]));
}

/**
 * Creates a handler that sends several files. All of them are created at the first request. The
 * path parameter `file` is the name of a file. A path without this parameter gets the file with the
 * name ''.
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
      // The files could not be created, so the next request tries to create them again.
      handlers = undefined;
      throw error;
    });
    const handler = (await handlers).get(String(req.params['file'] ?? '')) ?? refusePath;
    await handler(req, res, next);
  };
}

/** Registers handlers that send files. The keys of the object are the paths. */
export function addFiles(
  router: IRouter,
  handlers: Readonly<Record<string, RequestHandler>>,
  { admit, admitOptions }: { admit: RequestHandler; admitOptions?: RequestHandler },
): void {
  for (const [path, send] of Object.entries(handlers)) {
    router.get(path, admit, send);
    answerOtherMethods(router, [{ method: 'GET', path }], admit, admitOptions);
  }
}
