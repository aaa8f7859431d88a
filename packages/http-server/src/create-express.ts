import express, { type Express } from 'express';
import { parseQuery } from './parse-query.ts';
import { sendJson } from './send-response.ts';

/**
 * Creates an Express application with a minimum of features. Paths are case-sensitive, no header
 * names the framework, and `res.json` writes 64-bit integers exactly.
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
