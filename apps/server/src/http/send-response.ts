import { stringifyJson } from '@animal-store/contract';
import type { Response } from 'express';
import { addHeader, setHeader } from './note-headers.ts';

const jsonType = 'application/json; charset=utf-8';

/**
 * Writes the head with all headers of `res.locals`, and ends the response. Every response of an app
 * ends here: `res.json` calls it, and what has another body calls it instead of `res.send`.
 */
export function send(res: Response, body?: string | Buffer): void {
  if (body !== undefined) addHeader(res, 'Content-Length', String(Buffer.byteLength(body)));
  res.writeHead(res.statusCode, res.locals.headers).end(body);
  res.locals.onAnswered?.();
}

/**
 * Replaces `res.json` (Express's guide "Overriding the Express API"). Express's own spends half of its
 * time on the character set and on setting one header after the other.
 */
export function sendJson(this: Response, body: unknown): Response {
  setHeader(this, 'Content-Type', jsonType);
  send(this, textOf(body));
  return this;
}

/**
 * The body of a response that is a text already: JSON that the database has written. A handler returns it
 * instead of the value that the text means, and `res.json` sends it as it is.
 */
export class WrittenBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of a body. */
function textOf(body: unknown): string {
  if (body instanceof WrittenBody) return body.text;
  try {
    return JSON.stringify(body);
  } catch {
    // `JSON.stringify` refuses a bigint. Few bodies hold one.
    return stringifyJson(body);
  }
}
