import express, { type Express, type Response } from 'express';
import { unparsedQuery } from './contract-handlers.ts';
import { sendJson, writeNotedHeaders } from './send-json.ts';

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
  app.set('query parser', unparsedQuery);
  app.response.json = sendJson;
  app.response.writeHead = writeNotedHeaders as Response['writeHead'];
  return app;
}
