import { gzip } from 'node:zlib';
import type { RequestHandler, Response } from 'express';
import { appendHeader, setHeader } from './note-headers.ts';
import { jsonType, send, textOf } from './send-response.ts';

/** What is smaller fits into one packet anyway. */
const minBytes = 1_000;

/**
 * Has `res.json` compress what it sends to clients that accept gzip: a step before a handler.
 *
 * Only what is read. A new token is not compressed together with a name that somebody else may have
 * chosen: from the size of such an answer, an eavesdropper could guess the token (BREACH, CVE-2013-3587).
 */
export const compressJson: RequestHandler = function offerGzip(req, res, next) {
  if (req.method !== 'GET') return next();
  appendHeader(res, 'Vary', 'Accept-Encoding');
  if (req.acceptsEncodings('gzip') === 'gzip') res.json = sendGzipped;
  next();
};

/** In Node's thread pool: the event loop does not wait for it. */
function sendGzipped(this: Response, body: unknown): Response {
  const text = textOf(body);
  setHeader(this, 'Content-Type', jsonType);
  if (text.length < minBytes) send(this, text);
  else {
    gzip(text, (failure, bytes) => {
      if (failure !== null) return send(this, text);
      setHeader(this, 'Content-Encoding', 'gzip');
      send(this, bytes);
    });
  }
  return this;
}
