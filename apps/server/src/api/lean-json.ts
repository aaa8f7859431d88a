import { stringifyJson } from '@animal-store/contract';
import type { Express, Response } from 'express';

/**
 * Replaces `res.json` by one that writes integers exactly and does nothing that this API has no use
 * for: no ETag, no negotiation of character sets, one string and its length.
 */
export function useLeanJson(app: Express): void {
  app.response.json = function json(this: Response, body: unknown) {
    const text = stringifyJson(body);
    this.setHeader('Content-Type', 'application/json; charset=utf-8');
    this.setHeader('Content-Length', Buffer.byteLength(text));
    this.end(text);
    return this;
  };
}
