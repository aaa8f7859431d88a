import type { OutgoingHttpHeaders } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { stringifyJson } from '@animal-store/contract';
import express, { type Express, type Response } from 'express';
import { LRUCache } from 'lru-cache';
import { ServerResponse } from '../shared/http-without-undici.ts';
import { JsonText } from './json-text.ts';
import './locals.ts';

const { writeHead } = ServerResponse.prototype;

/** Longer than the queries of links to further pages. */
const maxRememberedLength = 200;

/**
 * Creates an Express application that does as little as possible. Paths are case-sensitive, no header
 * names the framework, and `res.json` writes integers exactly.
 */
export function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', rememberQueries());
  app.response.json = leanJson;
  app.response.writeHead = writeNotedHeaders as Response['writeHead'];
  return app;
}

/** Creates a parser of queries that keeps the latest: clients send the same ones again and again. */
function rememberQueries() {
  const queries = new LRUCache<string, object>({ max: 1_000 });
  return (given: string | null): object => {
    const text = given ?? '';
    const known = queries.get(text);
    if (known !== undefined) return known;
    // The default parser ignores everything after the first 1,000 parameters.
    const query = Object.freeze(parseQuery(text, '&', '=', { maxKeys: 0 }));
    if (text.length <= maxRememberedLength) queries.set(text, query);
    return query;
  };
}

/** Replaces `res.json`. Express's own spends half of its time on ETags and character sets. */
function leanJson(this: Response, body: unknown): Response {
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
function writeNotedHeaders(this: Response, status: number, given?: OutgoingHttpHeaders): Response {
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
