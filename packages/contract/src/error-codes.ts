import type { Int64 } from './int64.ts';
import { type RateLimitWindow, rateLimitHeaders } from './rate-limit.ts';
import type { Scope } from './scope.ts';

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

/** What the reference says of an error code of the public API. */
export interface PublicErrorDescription extends ErrorDescription {
  /** What leads to it, the most frequent cause first. In Markdown. */
  readonly causes: readonly string[];
}

/** Types a table of error codes by its codes alone, which keeps its texts out of declarations. */
export function defineErrors<Code extends string>(
  table: Readonly<Record<Code, ErrorDescription>>,
): Readonly<Record<Code, ErrorDescription>> {
  return table;
}

function definePublicErrors<Code extends string>(
  table: Readonly<Record<Code, PublicErrorDescription>>,
): Readonly<Record<Code, PublicErrorDescription>> {
  return table;
}

/** The window that denied a request. */
type DeniedWindow = Pick<RateLimitWindow, 'name' | 'limit' | 'resetAt'>;

let lastInstant = { unixSeconds: 0, text: '1970-01-01T00:00:00Z' };

/**
 * Writes a Unix time in seconds as ISO 8601, without the milliseconds that it never has. Remembers the
 * last one: denials come in great numbers, of one key and for one window.
 */
function toInstant(unixSeconds: number): string {
  if (lastInstant.unixSeconds !== unixSeconds) {
    const text = `${new Date(unixSeconds * 1_000).toISOString().slice(0, 19)}Z`;
    lastInstant = { unixSeconds, text };
  }
  return lastInstant.text;
}

/** Writes a whole number as `10,000`. `toLocaleString` takes 30 ms and 8 MB of each start, to load its data. */
function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The messages that the service sends and the reference shows as examples, by their codes. */
export const errorMessages = {
  invalid_json: 'body: expected valid JSON in UTF-8',
  unauthorized: 'The API key is not valid.',
  insufficient_scope: (scope: Scope) =>
    `This API key may not do this: it lacks the scope ${scope}. Use another key, or ask the operator of this service.`,
  key_suspended:
    'This API key is suspended. Ask whoever gave it to you, or the operator of this service.',
  pet_not_found: (petId: Int64) => `There is no animal with the id ${petId}.`,
  not_found: 'There is no such path.',
  method_not_allowed: (methods: Iterable<string>) =>
    `method: expected one of ${[...methods].join(', ')}`,
  idempotency_in_progress:
    'The first request with this Idempotency-Key is not finished. Retry after 1 s.',
  payload_too_large: (maxBytes: number) => `body: expected at most ${maxBytes} bytes`,
  unsupported_media_type: 'Content-Type: expected application/json, in UTF-8',
  idempotency_key_reused:
    'Idempotency-Key: expected a new one, because this one created another animal',
  rate_limit_exceeded: ({ name, limit, resetAt }: DeniedWindow, retryAfterSeconds: number) =>
    `The limit of ${groupDigits(limit)} ${limit === 1 ? 'request' : 'requests'} a ${name} is used up until ${toInstant(resetAt)}. Retry after ${retryAfterSeconds} s.`,
  key_temporarily_banned: (until: number, retryAfterSeconds: number) =>
    `This API key is temporarily banned until ${toInstant(until)} because it kept sending requests after a 429. Retry after ${retryAfterSeconds} s.`,
  internal_error: 'Something went wrong on our side.',
  not_implemented: 'The order listing is experimental and not implemented yet.',
  service_unavailable: 'The database cannot be reached. Retry after 1 s.',
};

/**
 * Every error code of the public API. Within v1 codes are only added, so clients treat a code that
 * they do not know by its status.
 */
export const errorCodes = definePublicErrors({
  invalid_request: {
    status: 400,
    when: 'A parameter, a header or a member of the body is missing or not valid.',
    causes: [
      'A value is out of its range, such as `limit=500`, or not of its type, such as `petId=x`.',
      'A required member of the body is missing, or the body is empty.',
      'A parameter other than `ids` is given twice.',
      'A name is misspelt: `Status`, `category_id`, `ids[]`. The message has the right one.',
      'A cursor was changed, or belongs to another filter.',
    ],
    advice: 'Correct what the message names. Repeating the same request gives the same answer.',
  },
  invalid_json: {
    status: 400,
    when: 'The body is not JSON in UTF-8.',
    causes: [
      'A comma, a quotation mark or a bracket is missing, or one is too many.',
      'The text is not UTF-8.',
    ],
    advice: 'Write the body with a JSON library.',
    example: errorMessages.invalid_json,
  },
  unauthorized: {
    status: 401,
    when: 'The API key is missing, wrong, expired or revoked.',
    causes: [
      'There is no `Authorization` header, or a proxy has removed it.',
      'The key is misspelt or cut off.',
      'The key has expired, was revoked, or was replaced by a rotation. The answer does not tell which.',
    ],
    advice: 'Send a valid key as `Authorization: Bearer <API_KEY>`.',
    headers: ['WWW-Authenticate'],
    example: errorMessages.unauthorized,
  },
  insufficient_scope: {
    status: 403,
    when: 'The key is valid but may not do this: it lacks the scope that the message names.',
    causes: [
      'The key may only read, as one in a web page should, and the call adds an animal.',
      'The key may only write, and the call reads.',
    ],
    advice:
      'Use another key, or ask the operator for the scope. Repeating the request gives the same answer.',
    headers: ['WWW-Authenticate'],
    example: errorMessages.insufficient_scope('pets:write'),
  },
  key_suspended: {
    status: 403,
    when: 'The operator has suspended the key.',
    causes: [
      'An invoice is open, or a contract has ended.',
      'The operator has stopped a program that did harm, until it is repaired.',
    ],
    advice:
      'Stop, and ask whoever gave you the key, or the operator of the service. Only they can resume it.',
    example: errorMessages.key_suspended,
  },
  pet_not_found: {
    status: 404,
    when: 'No animal has this `id`.',
    causes: ['The `id` was mistyped, or comes from another environment.'],
    advice: 'Look for it in the list.',
    example: errorMessages.pet_not_found(7),
  },
  not_found: {
    status: 404,
    when: 'There is no such path.',
    causes: [
      'The path does not begin with `/v1`.',
      'The path has a trailing slash, or capital letters.',
    ],
    advice: 'Compare the address with the reference. Paths have no trailing slash.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The path exists, but not with this method.',
    causes: [
      'The method of another operation was used, such as `DELETE /v1/pets`.',
      'A redirect, or a library, turned a `POST` into a `GET`.',
    ],
    advice: 'Use one of the methods in `Allow`.',
    headers: ['Allow'],
  },
  idempotency_in_progress: {
    status: 409,
    when: 'The first request with this `Idempotency-Key` is not finished.',
    causes: [
      'The request was repeated before its first answer came, for example after a short time-out.',
      'Two workers took the same job.',
    ],
    advice: 'Repeat the request after `Retry-After`.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.idempotency_in_progress,
  },
  payload_too_large: {
    status: 413,
    when: 'The body is greater than 16 kB.',
    causes: ['A body holds more than one animal needs.'],
    advice: 'Send less.',
    example: errorMessages.payload_too_large(16_384),
  },
  unsupported_media_type: {
    status: 415,
    when: 'The `Content-Type` is not JSON in UTF-8, or the body is compressed.',
    causes: [
      'There is no `Content-Type`, or it is that of a form: the default of `curl -d`.',
      'The body is sent compressed.',
    ],
    advice: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
    example: errorMessages.unsupported_media_type,
  },
  idempotency_key_reused: {
    status: 422,
    when: 'The `Idempotency-Key` was used with another body.',
    causes: [
      'A constant is used as the key.',
      'The body of a retry differs from that of the first attempt, for example by a time stamp.',
    ],
    advice: 'Make a new key for each animal. Reuse it only to repeat the same request.',
    example: errorMessages.idempotency_key_reused,
  },
  rate_limit_exceeded: {
    status: 429,
    when: 'The quota of the key, or of the address if there is no valid key, is used up.',
    causes: [
      'More requests were sent than the plan has for a minute or a day.',
      'Several programs share a key.',
      'A loop sends the next request without looking at `X-RateLimit-Remaining`.',
      'Without a valid key: others in the same network send requests, too.',
    ],
    advice: 'Wait as long as `Retry-After` says, then continue.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.rate_limit_exceeded(
      { name: 'minute', limit: 60, resetAt: 1_795_266_060 },
      30,
    ),
  },
  key_temporarily_banned: {
    status: 429,
    when: 'The key kept sending requests after a 429.',
    causes: [
      'A program repeats refused requests at once, instead of waiting.',
      'Several workers retry at the same time.',
    ],
    advice: 'Stop, wait as long as `Retry-After` says, and find out which program did not wait.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.key_temporarily_banned(1_795_266_330, 300),
  },
  internal_error: {
    status: 500,
    when: 'A fault of the service.',
    causes: ['A defect of the service. It is logged with the `X-Request-Id`.'],
    advice:
      'Repeat the request with growing pauses, a POST only with an `Idempotency-Key`. Report it with its `X-Request-Id`.',
    example: errorMessages.internal_error,
  },
  not_implemented: {
    status: 501,
    when: 'The operation is listed but not implemented yet.',
    causes: ['The operation is experimental, and its shape is not settled.'],
    advice: 'Do not rely on it.',
    example: errorMessages.not_implemented,
  },
  service_unavailable: {
    status: 503,
    when: 'Something that the service needs is temporarily unavailable.',
    causes: [
      'The database cannot be reached, for example during a failover.',
      'The service is overloaded, and sheds requests.',
    ],
    advice: 'Repeat the request after `Retry-After`, a POST only with an `Idempotency-Key`.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.service_unavailable,
  },
});

/** A machine-readable error code. */
export type ErrorCode = keyof typeof errorCodes;
