import { rateLimitHeaders } from '../rate-limit.ts';
import type { JsonObject } from './json-schema.ts';

/** A header of a response, as a document describes it. */
export interface ResponseHeader {
  readonly description: string;
  /** Whether every response that lists it carries it. */
  readonly required?: boolean;
  readonly schema: JsonObject;
  readonly example: unknown;
}

const count = { type: 'integer', minimum: 0 };
const text = { type: 'string' };

/**
 * Every response header of the public API besides those of HTTP's own framing and of CORS, by its
 * name among the document's components.
 */
export const responseHeaders = {
  [rateLimitHeaders.limit]: {
    description:
      'The request limit that applies to the caller, in the window that is the most restrictive now.',
    required: true,
    schema: count,
    example: 60,
  },
  [rateLimitHeaders.remaining]: {
    description: 'Requests left in that window.',
    required: true,
    schema: count,
    example: 59,
  },
  [rateLimitHeaders.reset]: {
    description: 'When that window resets, or a ban ends: a Unix timestamp in seconds.',
    required: true,
    schema: count,
    example: 1_795_266_060,
  },
  [rateLimitHeaders.policies]: {
    description:
      'Every window that applies: its quota `q` and its length `w` in seconds (IETF draft ratelimit-headers-10).',
    required: true,
    schema: text,
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
  },
  [rateLimitHeaders.state]: {
    description:
      'The state of every window: remaining requests `r` and seconds to the reset `t` (the same draft).',
    required: true,
    schema: text,
    example: '"minute";r=59;t=60, "day";r=999;t=86400',
  },
  [rateLimitHeaders.retryAfter]: {
    description: 'Whole seconds to wait. A request sent after exactly that long is admitted.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 30,
  },
  'X-Request-Id': {
    description:
      'Names the request: the `X-Request-Id` that was sent, if it was well-formed, else a new UUID. Quote it when you report a problem.',
    required: true,
    schema: text,
    example: '0b6f1f0e-6d0a-4c1e-9a50-5a3c0a2f7c11',
  },
  'Cache-Control': {
    description: 'No cache may store the response.',
    required: true,
    schema: { type: 'string', enum: ['no-store'] },
    example: 'no-store',
  },
  'X-Content-Type-Options': {
    description: 'The type is what `Content-Type` says; browsers must not guess another.',
    required: true,
    schema: { type: 'string', enum: ['nosniff'] },
    example: 'nosniff',
  },
  Link: {
    description:
      'With `rel="next"`, the next page; absent on the last one (RFC 8288). Follow it unchanged.',
    schema: text,
    example: '<https://api.animal-store.example/v1/pets?limit=50&cursor=Li41MC5hYmM>; rel="next"',
  },
  DeprecationLink: {
    description:
      'With `rel="deprecation"`, what to know about the end of the operation; with `rel="successor-version"`, what to use instead (RFC 8288).',
    required: true,
    schema: text,
    example:
      '<https://api.animal-store.example/docs#deprecation>; rel="deprecation", <https://api.animal-store.example/v1/pets>; rel="successor-version"',
  },
  Deprecation: {
    description: 'Since when the operation is deprecated (RFC 9745): `@` and a Unix timestamp.',
    required: true,
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1795219200',
  },
  Sunset: {
    description: 'When the operation ends (RFC 8594): an HTTP date.',
    required: true,
    schema: text,
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  'Idempotent-Replayed': {
    description:
      'Present, and `true`, when this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'boolean', enum: [true] },
    example: true,
  },
  'WWW-Authenticate': {
    description:
      'The scheme to use (RFC 6750); with `error="invalid_token"` when a key was sent and is not valid.',
    required: true,
    schema: text,
    example: 'Bearer realm="animal-store"',
  },
  Allow: {
    description: 'The methods that the path has.',
    required: true,
    schema: text,
    example: 'GET, HEAD, POST',
  },
} as const satisfies Record<string, ResponseHeader>;

export type HeaderName = keyof typeof responseHeaders;

/** The name of a component's header on the wire. Operations use `Link` in two senses, so it has two components. */
export function wireName(name: string): string {
  return name === 'DeprecationLink' ? 'Link' : name;
}
