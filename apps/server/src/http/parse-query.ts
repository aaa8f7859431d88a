import { type ParsedUrlQuery, parse } from 'node:querystring';
import { LRUCache } from 'lru-cache';

/** The longest query that is cached. Queries of links to further pages are shorter. */
const maxRememberedLength = 200;

const remembered = new LRUCache<string, ParsedUrlQuery>({ max: 1_000 });

/**
 * Parses a query for Express. Clients send the same queries again and again, so results are cached
 * and frozen.
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  if (text === null) return {};
  const known = remembered.get(text);
  if (known !== undefined) return known;
  // Node's default ignores everything after the first 1,000 parameters.
  const query = Object.freeze(parse(text, '&', '=', { maxKeys: 0 }));
  if (text.length <= maxRememberedLength) remembered.set(text, query);
  return query;
}
