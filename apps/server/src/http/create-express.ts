import { parse as parseQuery } from 'node:querystring';
import express, { type Express, type Response } from 'express';
import { stringifyJson } from './exact-json.ts';

/**
 * Makes an Express that does as little as possible: paths are compared to the letter, nothing tells
 * what the server is made of, and `res.json` writes integers exactly.
 */
export function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Express's own stops at 1,000 parameters, and would not see those beyond.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));
  app.response.json = leanJson;
  return app;
}

/** Without what this API has no use for: ETags, negotiation of character sets. */
function leanJson(this: Response, body: unknown): Response {
  const text = stringifyJson(body);
  this.setHeader('Content-Type', 'application/json; charset=utf-8');
  this.setHeader('Content-Length', Buffer.byteLength(text));
  this.end(text);
  return this;
}
