import { MIMEType } from 'node:util';
import { errorMessages } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import getRawBody from 'raw-body';
import { parseExactJson } from './exact-numbers.ts';
import { HttpError } from './http-error.ts';
import './request-locals.ts';
import { timed } from './request-timing.ts';

/**
 * The size of the largest JSON body in bytes. The longest name has 255 characters, and an escaped
 * character takes up to 12 bytes. The limit is five times the size of such a name.
 *
 * `limit-pipelining.ts` limits the memory of bodies that arrive before this file reads them.
 */
const maxBodyBytes = 16 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body into `req.body`. Integers of up to 64 bits are not rounded. Without a body,
 * `req.body` is `undefined`.
 *
 * `express.json()` is not used for two reasons. It refuses an oversized body only after it has
 * received the whole body. It also replaces invalid UTF-8 by U+FFFD instead of refusing the body.
 */
export const jsonBody: RequestHandler = async function readJsonBody(req, res, next) {
  if (!hasBody(req)) return next();
  requireJson(req);
  const bytes = await timed(res, 'bodyMs', read(req));
  if (bytes.length > 0) {
    const { text, value } = parse(bytes);
    res.locals.bodyText = text;
    req.body = value;
  }
  next();
};

/**
 * Tells whether a request has a body. Only `Transfer-Encoding` and `Content-Length` decide this
 * (RFC 9112, §6.3).
 */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function requireJson(req: Request): void {
  const contentType = req.get('Content-Type');
  if (!isJson(contentType)) {
    throw new HttpError('unsupported_media_type', errorMessages.unsupported_media_type);
  }
  const coding = req.get('Content-Encoding') ?? 'identity';
  // Compressed bodies are refused, because a small compressed body could expand to gigabytes. A
  // body of this API is too small to need compression.
  if (coding.trim().toLowerCase() !== 'identity') {
    throw new HttpError(
      'unsupported_media_type',
      'Content-Encoding: expected none, because the body must not be compressed',
    );
  }
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  if (contentType === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}

async function read(req: Request): Promise<Buffer> {
  const length = req.headers['content-length'];
  const stalled = Promise.withResolvers<never>();
  // Node emits this event if no data has arrived for `stallTimeoutMs`. While this listener exists,
  // `listener.ts` does not close the connection, so that the caller gets the 408 (RFC 9110,
  // §15.5.9).
  req.on('timeout', () => {
    const headers = { Connection: 'close' };
    stalled.reject(new HttpError('request_timeout', errorMessages.request_timeout, { headers }));
  });
  try {
    const body = getRawBody(req, { limit: maxBodyBytes, ...(length !== undefined && { length }) });
    return await Promise.race([body, stalled.promise]);
  } catch (error) {
    // The rest of the body is received and dropped, until the request times out. If the server
    // closed the connection immediately, a client that is still sending would get a connection
    // reset instead of the response.
    req.resume();
    if (error instanceof HttpError) throw error;
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
      throw new HttpError('payload_too_large', errorMessages.payload_too_large(maxBodyBytes));
    }
    throw new HttpError(
      'invalid_request',
      'body: expected as many bytes as Content-Length announces',
    );
  }
}

function parse(bytes: Buffer): { text: string; value: unknown } {
  try {
    const text = utf8.decode(bytes);
    return { text, value: parseExactJson(text) };
  } catch (error) {
    // The parser throws a RangeError if nested brackets overflow its stack, as in a body of 16 kB
    // that contains only brackets.
    const nestsTooDeeply = error instanceof RangeError;
    throw new HttpError(
      'invalid_json',
      nestsTooDeeply
        ? 'body: expected JSON with fewer levels of nested arrays and objects'
        : errorMessages.invalid_json,
    );
  }
}
