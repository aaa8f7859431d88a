import { rateLimitHeaders } from '../rate-limit.ts';
import type { JsonObject } from './json-schema.ts';

/** The description of a response header in an OpenAPI document. */
export interface ResponseHeader {
  readonly description: string;
  /** Whether the header is present in every response for which the document lists it. */
  readonly required?: boolean;
  readonly schema: JsonObject;
  readonly example: unknown;
}

// Some tools that read the document require bounds. No response exceeds these bounds: the
// longest texts are the addresses in `Link`, quotas are 32-bit integers, and times end with the
// year 9999.
const text = { type: 'string', maxLength: 4_096 };
const count = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 };
const unixTime = { type: 'integer', minimum: 0, maximum: 253_402_300_799 };

/**
 * The origin in a document that was created without a running service. The name is reserved for
 * examples (RFC 2606, §2).
 */
export const exampleOrigin = 'https://api.animal-store.example';

function header(description: string, example: unknown, schema: JsonObject = text) {
  return { description, required: true, schema, example };
}

function optionalHeader(description: string, example: unknown, schema: JsonObject = text) {
  return { description, schema, example };
}

/**
 * Every response header of the public API, by its component name. Headers of CORS and of HTTP's
 * message framing are left out.
 */
export const responseHeaders = {
  [rateLimitHeaders.limit]: header(
    'How many requests the most restrictive quota window allows.',
    60,
    count,
  ),
  [rateLimitHeaders.remaining]: header(
    'How many requests are left in the most restrictive quota window (minute or day).',
    59,
    count,
  ),
  [rateLimitHeaders.reset]: header(
    'When the most restrictive quota window resets, or when the ban of the API key ends: a Unix timestamp in seconds.',
    1_795_266_060,
    unixTime,
  ),
  [rateLimitHeaders.policies]: header(
    'Every quota window: its quota `q` in requests and its length `w` in seconds (IETF draft ratelimit-headers-10).',
    '"minute";q=60;w=60, "day";q=1000;w=86400',
  ),
  [rateLimitHeaders.state]: header(
    'Every quota window: its remaining requests `r` and the seconds to its reset `t` (IETF draft ratelimit-headers-10).',
    '"minute";r=59;t=60, "day";r=999;t=86400',
  ),
  [rateLimitHeaders.retryAfter]: header(
    'Whole seconds to wait. A request after that time is admitted.',
    30,
    { ...count, minimum: 1 },
  ),
  RetryLater: header('Whole seconds to wait before the next attempt.', 1, { ...count, minimum: 1 }),
  'X-Request-Id': header(
    'The id of the request: the `X-Request-Id` that was sent, if it was well-formed, otherwise a new UUID. Quote this id when you report a problem.',
    '0b6f1f0e-6d0a-4c1e-9a50-5a3c0a2f7c11',
  ),
  'Cache-Control': header('No cache may store the response.', 'no-store', {
    type: 'string',
    enum: ['no-store'],
  }),
  'X-Content-Type-Options': header(
    'Browsers must use the `Content-Type`, and must not guess another type.',
    'nosniff',
    { type: 'string', enum: ['nosniff'] },
  ),
  Link: optionalHeader(
    'With `rel="next"`, the next page; absent on the last page (RFC 8288). Follow the address unchanged.',
    `<${exampleOrigin}/v1/pets?limit=50&cursor=Li41MC5hYmM>; rel="next"`,
  ),
  DeprecationLink: header(
    'With `rel="deprecation"`, a page about the deprecation of the operation; with `rel="successor-version"`, the replacement (RFC 8288).',
    `<${exampleOrigin}/docs#deprecation>; rel="deprecation", <${exampleOrigin}/v1/pets?ids=1>; rel="successor-version"`,
  ),
  Deprecation: header(
    'The time when the operation was deprecated (RFC 9745): `@` and a Unix timestamp.',
    '@1795219200',
    { ...text, pattern: '^@[0-9]+$' },
  ),
  Sunset: header(
    'When the operation will be removed (RFC 8594): an HTTP date.',
    'Thu, 05 Dec 2030 00:00:00 GMT',
  ),
  Location: header(
    'The address of the new animal (RFC 9110, §10.2.2): a list that contains only this animal.',
    `${exampleOrigin}/v1/pets?ids=1`,
    { ...text, format: 'uri' },
  ),
  'Idempotent-Replayed': optionalHeader(
    'Present, and `true`, when this is the response to an earlier request with the same `Idempotency-Key`.',
    true,
    { type: 'boolean', enum: [true] },
  ),
  'WWW-Authenticate': header(
    'The authentication scheme (RFC 6750). It has `error="invalid_token"` for an invalid API key, and `error="invalid_request"` when `Authorization` was sent twice.',
    'Bearer realm="animal-store", error="invalid_token"',
  ),
  ScopeChallenge: optionalHeader(
    'With `insufficient_scope`, the scope that the key lacks (RFC 6750, §3.1). The response to a suspended key has no such header.',
    'Bearer realm="animal-store", error="insufficient_scope", scope="pets:write"',
  ),
  Allow: header('The methods that the path supports.', 'GET, HEAD, POST'),
} as const satisfies Record<string, ResponseHeader>;

/** Returns the header descriptions with examples for the given origin. */
export const responseHeadersAt = (origin: string): typeof responseHeaders =>
  JSON.parse(JSON.stringify(responseHeaders).replaceAll(exampleOrigin, origin));

/** The component names of all headers, including `X-Total-Count`, which only the admin API has. */
export type HeaderName = keyof typeof responseHeaders | 'X-Total-Count';

/**
 * The HTTP names of headers that two components describe, because the header has another meaning in
 * some operations.
 */
const wireNames: Readonly<Record<string, string>> = {
  DeprecationLink: 'Link',
  RetryLater: rateLimitHeaders.retryAfter,
  ScopeChallenge: 'WWW-Authenticate',
};

/** Returns the HTTP name of the header that a component describes. */
export function wireName(name: string): string {
  return wireNames[name] ?? name;
}
