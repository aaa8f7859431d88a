import type { OutgoingHttpHeaders } from 'node:http';
import { stringifyJson } from '@animal-store/contract';
import type { Response } from 'express';
import { ServerResponse } from '../shared/http-without-undici.ts';
import './locals.ts';

const { writeHead } = ServerResponse.prototype;

/** A body that is JSON already, such as one that the database has written. `res.json` sends it as it is. */
export class JsonText {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /**
   * Makes a body of a handler. Its type is that of the value which the text means, because that is what
   * the contract describes; nothing but `res.json` can read it.
   */
  static of<Value>(text: string): Value {
    return new JsonText(text) as Value;
  }
}

/** Replaces `res.json`. Express's own spends half of its time on ETags and character sets. */
export function sendJson(this: Response, body: unknown): Response {
  const text = textOf(body);
  const { headers } = this.locals;
  headers.push('Content-Type', 'application/json; charset=utf-8');
  // Node sets the length of a body that it sends. The body of HEAD is not sent.
  if (this.req.method === 'HEAD') headers.push('Content-Length', String(Buffer.byteLength(text)));
  this.end(text);
  return this;
}

function textOf(body: unknown): string {
  if (body instanceof JsonText) return body.text;
  try {
    return JSON.stringify(body);
  } catch (error) {
    // `JSON.stringify` refuses a bigint. Few bodies hold one.
    if (error instanceof TypeError) return stringifyJson(body);
    throw error;
  }
}

/**
 * Replaces `res.writeHead`, which Node calls before the first byte of a response. It adds the headers of
 * `res.locals`.
 */
export function writeNotedHeaders(
  this: Response,
  status: number,
  given?: OutgoingHttpHeaders,
): Response {
  // Node and the listener reject some requests before they have locals.
  const noted = (this.locals as Partial<Response['locals']> | undefined)?.headers ?? [];
  if (given === undefined && this.getHeaderNames().length === 0) {
    return writeHead.call(this, status, noted) as Response;
  }
  // What was set by `setHeader` replaces what was noted.
  for (let i = 0; i < noted.length; i += 2) {
    const [name, value] = noted.slice(i, i + 2) as [string, string];
    if (!this.hasHeader(name)) this.setHeader(name, value);
  }
  return writeHead.call(this, status, given) as Response;
}
