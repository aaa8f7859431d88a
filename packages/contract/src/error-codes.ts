import type { Int64 } from './int64.ts';
import { rateLimitHeaders } from './rate-limit.ts';

/** What the reference says of an error code. */
export interface ErrorDescription {
  /** The HTTP status. */
  readonly status: number;
  /** When the service answers with it. */
  readonly when: string;
  /** What a caller does about it. */
  readonly advice: string;
  /** Response headers that always come with it. */
  readonly headers?: readonly string[];
  /** A message that comes with it. For `invalid_request`, the reference derives one per operation. */
  readonly example?: string;
}

/** Types a table of error codes by its codes alone, which keeps its texts out of declarations. */
export function defineErrors<Code extends string>(
  table: Readonly<Record<Code, ErrorDescription>>,
): Readonly<Record<Code, ErrorDescription>> {
  return table;
}

/** The messages that the service sends and the reference shows as examples, by their codes. */
export const errorMessages = {
  invalid_json: 'body: expected valid JSON in UTF-8',
  unauthorized: 'The API key is not valid.',
  pet_not_found: (petId: Int64) => `There is no animal with the id ${petId}.`,
  method_not_allowed: (methods: Iterable<string>) =>
    `method: expected one of ${[...methods].join(', ')}`,
  idempotency_in_progress:
    'The first request with this Idempotency-Key is not finished. Retry after 1 s.',
  payload_too_large: (maxBytes: number) => `body: expected at most ${maxBytes} bytes`,
  unsupported_media_type: 'Content-Type: expected application/json, in UTF-8',
  idempotency_key_reused:
    'Idempotency-Key: expected a new one, because this one created another animal',
  rate_limit_exceeded: (limit: number, retryAfterSeconds: number) =>
    `The limit of ${limit} requests is used up. Retry after ${retryAfterSeconds} s.`,
  key_temporarily_banned: (retryAfterSeconds: number) =>
    `This API key is temporarily banned because it kept sending requests after a 429. Retry after ${retryAfterSeconds} s.`,
  internal_error: 'Something went wrong on our side.',
  not_implemented: 'The order listing is experimental and not implemented yet.',
  service_unavailable: 'The database cannot be reached. Retry after 1 s.',
};

/**
 * Every error code of the public API. Within v1 codes are only added, so clients treat a code that
 * they do not know by its status.
 */
export const errorCodes = defineErrors({
  invalid_request: {
    status: 400,
    when: 'A parameter, a header or a member of the body is missing or not valid.',
    advice: 'Correct what the message names. Repeating the same request gives the same answer.',
  },
  invalid_json: {
    status: 400,
    when: 'The body is not JSON in UTF-8.',
    advice: 'Write the body with a JSON library.',
    example: errorMessages.invalid_json,
  },
  unauthorized: {
    status: 401,
    when: 'The API key is missing, wrong, expired or revoked.',
    advice: 'Send a valid key as `Authorization: Bearer <API_KEY>`.',
    headers: ['WWW-Authenticate'],
    example: errorMessages.unauthorized,
  },
  pet_not_found: {
    status: 404,
    when: 'No animal has this `id`.',
    advice: 'Look for it in the list.',
    example: errorMessages.pet_not_found(7),
  },
  not_found: {
    status: 404,
    when: 'There is no such path.',
    advice: 'Compare the address with the reference. Paths have no trailing slash.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The path exists, but not with this method.',
    advice: 'Use one of the methods in `Allow`.',
    headers: ['Allow'],
  },
  idempotency_in_progress: {
    status: 409,
    when: 'The first request with this `Idempotency-Key` is not finished.',
    advice: 'Repeat the request after `Retry-After`.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.idempotency_in_progress,
  },
  payload_too_large: {
    status: 413,
    when: 'The body is greater than 16 kB.',
    advice: 'Send less.',
    example: errorMessages.payload_too_large(16_384),
  },
  unsupported_media_type: {
    status: 415,
    when: 'The `Content-Type` is not JSON in UTF-8, or the body is compressed.',
    advice: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
    example: errorMessages.unsupported_media_type,
  },
  idempotency_key_reused: {
    status: 422,
    when: 'The `Idempotency-Key` was used with another body.',
    advice: 'Make a new key for each animal. Reuse it only to repeat the same request.',
    example: errorMessages.idempotency_key_reused,
  },
  rate_limit_exceeded: {
    status: 429,
    when: 'The quota of the key, or of the address if there is no valid key, is used up.',
    advice: 'Wait as long as `Retry-After` says, then continue.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.rate_limit_exceeded(60, 30),
  },
  key_temporarily_banned: {
    status: 429,
    when: 'The key kept sending requests after a 429.',
    advice: 'Stop, wait as long as `Retry-After` says, and find out which program did not wait.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.key_temporarily_banned(300),
  },
  internal_error: {
    status: 500,
    when: 'A fault of the service.',
    advice:
      'Repeat the request with growing pauses, a POST only with an `Idempotency-Key`. Report it with its `X-Request-Id`.',
    example: errorMessages.internal_error,
  },
  not_implemented: {
    status: 501,
    when: 'The operation is listed but not implemented yet.',
    advice: 'Do not rely on it.',
    example: errorMessages.not_implemented,
  },
  service_unavailable: {
    status: 503,
    when: 'Something that the service needs is temporarily unavailable.',
    advice: 'Repeat the request after `Retry-After`, a POST only with an `Idempotency-Key`.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.service_unavailable,
  },
});

/** A machine-readable error code. */
export type ErrorCode = keyof typeof errorCodes;
