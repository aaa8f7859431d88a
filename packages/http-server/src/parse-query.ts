import { type ParsedUrlQuery, parse } from 'node:querystring';
import { LRUCache } from 'lru-cache';

/**
 * The number of characters of the longest query that is cached. The queries of pagination links are
 * shorter.
 */
const maxCachedLength = 200;

const cache = new LRUCache<string, ParsedUrlQuery>({ max: 1_000 });

/**
 * Parses the query of a URL for Express. Results are cached and frozen, because clients send the
 * same queries again and again.
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  if (text === null) return {};
  const cached = cache.get(text);
  if (cached !== undefined) return cached;
  // `maxKeys: 0` removes Node's default limit, which ignores everything after the first 1,000
  // parameters.
  const query = Object.freeze(parse(text, '&', '=', { maxKeys: 0 }));
  if (text.length <= maxCachedLength) cache.set(text, query);
  return query;
}
