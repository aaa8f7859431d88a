import { rateLimitHeaders } from '../rate-limit.ts';
import type { HeaderName } from './headers.ts';
import type { Failure } from './responses.ts';

const { retryAfter } = rateLimitHeaders;

/** What each status of a failure means. */
export const failures = {
  400: {
    description: 'The request is not valid; the message names every fault.',
    messages: {
      invalid_request: 'limit: expected one integer from 1 to 100, got "500"',
    },
  },
  401: {
    description: 'The API key is missing or invalid.',
    headers: ['WWW-Authenticate'],
    messages: { unauthorized: 'The API key is not valid.' },
  },
  404: {
    description: 'The animal could not be found.',
    messages: { pet_not_found: 'There is no animal with the id 7.' },
  },
  405: {
    description:
      'The path does not have the method of the request. This operation itself never answers it: it is what other methods get on its path.',
    headers: ['Allow'],
    messages: { method_not_allowed: 'method: expected one of GET, HEAD' },
  },
  409: {
    description: 'The first request with this `Idempotency-Key` is not finished.',
    headers: [retryAfter],
    messages: {
      idempotency_in_progress:
        'The first request with this Idempotency-Key is not finished. Retry after 1 s.',
    },
  },
  413: {
    description: 'The body is greater than 16 kB.',
    messages: { payload_too_large: 'body: expected at most 16384 bytes' },
  },
  415: {
    description: 'The body is not JSON in UTF-8, or is compressed.',
    messages: { unsupported_media_type: 'Content-Type: expected application/json, in UTF-8' },
  },
  422: {
    description: 'The `Idempotency-Key` was used with another body.',
    messages: {
      idempotency_key_reused:
        'Idempotency-Key: expected a new one, because this one created another animal',
    },
  },
  429: {
    description:
      'The quota is used up, or the API key is banned for a while. Wait as long as `Retry-After` says.',
    headers: [retryAfter],
    messages: {
      rate_limit_exceeded: 'The limit of 60 requests is used up. Retry after 30 s.',
      key_temporarily_banned:
        'This API key is banned for a while: it kept sending requests after it had been told to wait. Retry after 300 s.',
    },
  },
  500: {
    description: 'A fault of the service.',
    messages: { internal_error: 'Something went wrong on our side.' },
  },
  501: {
    description: 'The operation is not there yet.',
    messages: { not_implemented: 'The order listing is experimental, and not there yet.' },
  },
  503: {
    description: 'The service cannot answer now. Wait as long as `Retry-After` says.',
    headers: [retryAfter],
    messages: { service_unavailable: 'The database cannot be reached. Try again soon.' },
  },
} as const satisfies Readonly<Record<number, Failure<HeaderName>>>;
