import { rateLimitHeaders } from '../rate-limit.ts';
import { failures } from './failures.ts';
import { headers } from './headers.ts';
import { createResponseWriter, type Failure } from './responses.ts';

const { retryAfter } = rateLimitHeaders;

/** Every response header of the admin API; most mean what they mean in the public one. */
const adminHeaders = {
  'X-Request-Id': headers['X-Request-Id'],
  'Cache-Control': headers['Cache-Control'],
  'X-Content-Type-Options': headers['X-Content-Type-Options'],
  [retryAfter]: {
    ...headers[retryAfter],
    description: 'Whole seconds to wait before the next request.',
  },
  Link: {
    ...headers.Link,
    example:
      '</admin/v1/keys?limit=20&plan=pro&cursor=0f8fad5b-d9cb-469f-a165-70867728950e>; rel="next"',
  },
  'WWW-Authenticate': {
    ...headers['WWW-Authenticate'],
    description:
      'The scheme to use (RFC 6750); with `error="invalid_token"` when a token was sent and is not right.',
    example: 'Bearer realm="animal-store-admin"',
  },
  Allow: { ...headers.Allow, example: 'GET, HEAD, PATCH' },
} as const;

export type AdminHeaderName = keyof typeof adminHeaders;

/** What each status of a failure means to an operator. */
const adminFailures: Readonly<Record<number, Failure<AdminHeaderName>>> = {
  400: {
    description: 'The request is not valid; the message names every fault.',
    messages: { invalid_request: 'keyId: expected a UUID, got "acme"' },
  },
  401: {
    description: 'The admin token is missing or not right.',
    headers: ['WWW-Authenticate'],
    messages: { unauthorized: 'The admin token is not right.' },
  },
  404: {
    description: 'There is no such key.',
    messages: {
      key_not_found: 'There is no key with the id 0f8fad5b-d9cb-469f-a165-70867728950e.',
    },
  },
  405: {
    ...failures[405],
    messages: { method_not_allowed: 'method: expected one of GET, HEAD, PATCH' },
  },
  409: {
    description: 'The key has expired or was revoked, so it cannot be changed.',
    messages: { key_not_active: 'The key is revoked: make a new one.' },
  },
  413: failures[413],
  415: failures[415],
  429: {
    description:
      'Too many wrong admin tokens came from this address. Until `Retry-After` has passed the right one is refused, too.',
    headers: [retryAfter],
    messages: {
      rate_limit_exceeded: 'Too many wrong admin tokens came from this address. Retry after 30 s.',
    },
  },
  500: failures[500],
  503: failures[503],
};

/** The responses of the admin API. */
export const adminResponses = createResponseWriter({
  headers: adminHeaders,
  always: ['X-Request-Id', 'Cache-Control', 'X-Content-Type-Options'],
  failures: adminFailures,
});
