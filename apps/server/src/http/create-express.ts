import { type ParsedUrlQuery, parse } from 'node:querystring';
import express, { type Express } from 'express';
import { LRUCache } from 'lru-cache';
import { sendJson } from './send-response.ts';

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
  app.set('query parser', parseQuery);
  app.response.json = sendJson;
  return app;
}

/** Longer than the queries of links to further pages. */
const maxRememberedLength = 200;

const remembered = new LRUCache<string, ParsedUrlQuery>({ max: 1_000 });

/**
 * The query parser of Express. Clients send the same queries again and again, so it remembers what it
 * parsed; nobody may change that.
 */
function parseQuery(text: string | null): ParsedUrlQuery {
  if (text === null) return {};
  const known = remembered.get(text);
  if (known !== undefined) return known;
  // Node's default ignores everything after the first 1,000 parameters.
  const query = Object.freeze(parse(text, '&', '=', { maxKeys: 0 }));
  if (text.length <= maxRememberedLength) remembered.set(text, query);
  return query;
}
