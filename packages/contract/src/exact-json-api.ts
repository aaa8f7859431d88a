import type { ApiFetcher } from '@ts-rest/core';
import { parseJson, stringifyJson } from './exact-json.ts';

/**
 * The `api` option for ts-rest's clients. It reads and writes 64-bit integers exactly, where
 * ts-rest's own `api` rounds integers above 2^53. Pass bodies through {@link exactBody}.
 */
export const exactJsonApi: ApiFetcher = async ({
  path,
  method,
  headers,
  rawBody,
  fetchOptions,
}) => {
  const response = await fetch(path, {
    ...fetchOptions,
    method,
    headers,
    // The copy leaves out the `toJSON` of `exactBody`.
    ...(rawBody !== undefined && { body: stringifyJson({ ...(rawBody as object) }) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? parseJson(text) : text,
  };
};

/**
 * Prepares a body for a ts-rest client with {@link exactJsonApi}. Before ts-rest calls the `api`
 * option, it passes every body to `JSON.stringify`, which throws on a `bigint`. The copy has a
 * `toJSON` that returns `undefined`, so there is nothing to write.
 */
export function exactBody<Body extends object>(body: Body): Body {
  return Object.defineProperty({ ...body }, 'toJSON', { value: () => undefined });
}
