import type { ApiFetcher } from '@ts-rest/core';
import { parseJson, stringifyJson } from './exact-json.ts';

/**
 * The value for the `api` option of ts-rest clients. It reads and writes 64-bit integers exactly.
 * ts-rest's own function rounds integers above 2^53. Pass each body through {@link exactBody}.
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
    // The spread copies the body without the method `toJSON` that `exactBody` has added, so that
    // `stringifyJson` writes the properties.
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
 * Prepares a body for a ts-rest client that uses {@link exactJsonApi}.
 *
 * ts-rest passes every body to `JSON.stringify` before it calls the `api` option, and
 * `JSON.stringify` throws on a `bigint`. The returned copy has a `toJSON` that returns `undefined`,
 * so `JSON.stringify` sees no `bigint`.
 */
export function exactBody<Body extends object>(body: Body): Body {
  return Object.defineProperty({ ...body }, 'toJSON', { value: () => undefined });
}
