import type { Int64 } from './int64.ts';
import { type RateLimitWindow, rateLimitHeaders } from './rate-limit.ts';
import type { Scope } from './scope.ts';

/** The description of an error code in the API reference. */
export interface ErrorDescription {
  /** The HTTP status. */
  readonly status: number;
  /** The situation in which the service responds with this code. */
  readonly when: string;
  /** The advice for a caller that gets this error. */
  readonly advice: string;
  /** The response headers that the error always has. */
  readonly headers?: readonly string[];
  /**
   * An example message. For `invalid_request`, the API reference derives an example for each
   * operation.
   */
  readonly example?: string;
}

/** The description of an error code of the public API, with its possible causes. */
export interface PublicErrorDescription extends ErrorDescription {
  /** The possible causes in Markdown. The most frequent cause comes first. */
  readonly causes: readonly string[];
}

/**
 * Returns a table of error codes unchanged. The declared type contains only the codes, so that
 * declaration files do not contain the texts.
 */
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

/** The window that denied a request, with the values that the error message contains. */
type DeniedWindow = Pick<RateLimitWindow, 'name' | 'limit' | 'resetAt'>;

let lastInstant = { unixSeconds: 0, text: '1970-01-01T00:00:00Z' };

/**
 * Formats a Unix time in seconds as ISO 8601, without milliseconds. The function caches its last
 * result, because consecutive denials often report the same reset time.
 */
function toInstant(unixSeconds: number): string {
  if (lastInstant.unixSeconds !== unixSeconds) {
    const text = `${new Date(unixSeconds * 1_000).toISOString().slice(0, 19)}Z`;
    lastInstant = { unixSeconds, text };
  }
  return lastInstant.text;
}

/**
 * Formats a whole number with commas, such as `10,000`. `toLocaleString` would take 30 ms and 8 MB
 * at each start to load its data.
 */
function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * The error messages of the service, indexed by error code. The API reference shows them as
 * examples.
 */
export const errorMessages = {
  invalid_json: 'body: expected valid JSON in UTF-8',
  unauthorized: 'The API key is not valid.',
  insufficient_scope: (scope: Scope) =>
    `This API key lacks the scope ${scope}, which this request needs. Use another key, or ask the operator of this service.`,
  key_suspended:
    'This API key is suspended. Ask the person who gave it to you, or the operator of this service.',
  pet_not_found: (petId: Int64) => `There is no animal with the id ${petId}.`,
  not_found: 'There is no such path.',
  method_not_allowed: (methods: Iterable<string>) =>
    `method: expected one of ${[...methods].join(', ')}`,
  request_timeout:
    'The body did not arrive in time, so the request was not executed. Send the request again.',
  idempotency_in_progress:
    'The first request with this Idempotency-Key is not finished. Retry after 1 s.',
  payload_too_large: (maxBytes: number) => `body: expected at most ${maxBytes} bytes`,
  unsupported_media_type: 'Content-Type: expected application/json, in UTF-8',
  idempotency_key_reused:
    'Idempotency-Key: expected a new key, because this key was used for another animal',
  rate_limit_exceeded: ({ name, limit, resetAt }: DeniedWindow, retryAfterSeconds: number) =>
    `The limit of ${groupDigits(limit)} ${limit === 1 ? 'request' : 'requests'} a ${name} is used up until ${toInstant(resetAt)}. Retry after ${retryAfterSeconds} s.`,
  key_temporarily_banned: (until: number, retryAfterSeconds: number) =>
    `This API key is temporarily banned until ${toInstant(until)} because it kept sending requests after a 429. Retry after ${retryAfterSeconds} s.`,
  internal_error: 'Something went wrong on our side.',
  not_implemented: 'The order listing is experimental and not implemented yet.',
  service_unavailable: 'The database cannot be reached. Retry after 1 s.',
};

/**
 * Every error code of the public API. New codes can be added within v1, so clients must handle an
 * unknown code by its status.
 */
export const errorCodes = definePublicErrors({
  invalid_request: {
    status: 400,
    when: 'A parameter, a header or a property of the body is missing or invalid.',
    causes: [
      'A value is out of range, such as `limit=500`, or has the wrong type, such as `petId=x`.',
      'A required property of the body is missing, or the body is empty.',
      'A parameter other than `ids` is given twice.',
      'A name is misspelt, such as `Status`, `category_id` or `ids[]`. The message contains the correct name.',
      'A cursor was changed, or belongs to another filter.',
    ],
    advice:
      'Correct the parameter, header or property that the error message names. If you repeat the request unchanged, you get the same response.',
  },
  invalid_json: {
    status: 400,
    when: 'The body is not JSON in UTF-8.',
    causes: [
      'A comma, a quotation mark or a bracket is missing, or there is one too many.',
      'The text is not UTF-8.',
    ],
    advice: 'Create the body with a JSON library, and not by joining strings.',
    example: errorMessages.invalid_json,
  },
  unauthorized: {
    status: 401,
    when: 'The API key is missing, wrong, expired or revoked.',
    causes: [
      'There is no `Authorization` header, or a proxy has removed it.',
      'The API key is misspelt or cut off.',
      'The API key has expired, was revoked, or its token was replaced by a rotation. The response does not say which of these is true.',
    ],
    advice: 'Send a valid API key as `Authorization: Bearer <API_KEY>`.',
    headers: ['WWW-Authenticate'],
    example: errorMessages.unauthorized,
  },
  insufficient_scope: {
    status: 403,
    when: 'The API key is valid but lacks the scope that the error message names.',
    causes: [
      'The request adds an animal, but the API key is read-only. A key in a web page should be read-only.',
      'The API key is write-only, and the request reads animals.',
    ],
    advice:
      'Use another API key, or ask the operator for the scope. If you repeat the request unchanged, you get the same response.',
    headers: ['WWW-Authenticate'],
    example: errorMessages.insufficient_scope('pets:write'),
  },
  key_suspended: {
    status: 403,
    when: 'The operator has suspended the API key.',
    causes: [
      'An invoice is unpaid, or a contract has ended.',
      'A program with this API key caused harm. The operator has suspended the key until the program is fixed.',
    ],
    advice:
      'Stop, and ask the person who gave you the key, or the operator of the service. Only the operator can resume the key.',
    example: errorMessages.key_suspended,
  },
  pet_not_found: {
    status: 404,
    when: 'No animal has this `id`.',
    causes: ['The `id` was mistyped, or comes from another environment.'],
    advice: 'Look for the animal in the list.',
    example: errorMessages.pet_not_found(7),
  },
  not_found: {
    status: 404,
    when: 'The path does not exist.',
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
      'A redirect or a library turned a `POST` into a `GET`.',
    ],
    advice: 'Use one of the methods in `Allow`.',
    headers: ['Allow'],
  },
  request_timeout: {
    status: 408,
    when: 'The rest of the body did not arrive in time. The service has not executed the request, and closes the connection.',
    causes: [
      'The connection is bad, or a proxy stopped sending.',
      'Your program announces a `Content-Length` that is larger than the body that it sends.',
    ],
    advice: 'Send the request again.',
    example: errorMessages.request_timeout,
  },
  idempotency_in_progress: {
    status: 409,
    when: 'The first request with this `Idempotency-Key` is not finished.',
    causes: [
      'The request was repeated before its first response arrived, for example after a short timeout.',
      'Two workers of your program process the same job, and send the same `Idempotency-Key`.',
    ],
    advice: 'Repeat the request after the time in `Retry-After`.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.idempotency_in_progress,
  },
  payload_too_large: {
    status: 413,
    when: 'The body is larger than 16 kB.',
    causes: ['The body contains data that an animal does not have.'],
    advice: 'Send a smaller body.',
    example: errorMessages.payload_too_large(16_384),
  },
  unsupported_media_type: {
    status: 415,
    when: 'The `Content-Type` is not JSON in UTF-8, or the body is compressed.',
    causes: [
      'There is no `Content-Type`, or it is the type of a form, which `curl -d` sends by default.',
      'The body is compressed.',
    ],
    advice: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
    example: errorMessages.unsupported_media_type,
  },
  idempotency_key_reused: {
    status: 422,
    when: 'The `Idempotency-Key` was used with another body.',
    causes: [
      'Your program sends the same `Idempotency-Key` for different animals.',
      'The body of a retry differs from the body of the first attempt, for example in a time stamp.',
    ],
    advice:
      'Create a new idempotency key for each animal. Reuse an idempotency key only to repeat the same request.',
    example: errorMessages.idempotency_key_reused,
  },
  rate_limit_exceeded: {
    status: 429,
    when: 'The quota of the API key is used up. Or the request has no valid API key, and the limit of its network is used up.',
    causes: [
      'Your program sent more requests than the plan of the API key allows in a minute or a day.',
      'Several programs share an API key.',
      'A loop sends requests without checking `X-RateLimit-Remaining`.',
      'The request has no valid API key, and other programs in the same network have used up the limit of the network.',
    ],
    advice: 'Wait the number of seconds in `Retry-After`, then continue.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.rate_limit_exceeded(
      { name: 'minute', limit: 60, resetAt: 1_795_266_060 },
      30,
    ),
  },
  key_temporarily_banned: {
    status: 429,
    when: 'The API key kept sending requests after a 429.',
    causes: [
      'Your program repeats denied requests immediately, instead of waiting.',
      'Several workers retry at the same time.',
    ],
    advice:
      'Stop, wait the number of seconds in `Retry-After`, and find out which program did not wait.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.key_temporarily_banned(1_795_266_330, 300),
  },
  internal_error: {
    status: 500,
    when: 'The service has failed.',
    causes: ['The service has a bug. The service logs the error with the `X-Request-Id`.'],
    advice:
      'Repeat the request with growing pauses. Repeat a POST only with an `Idempotency-Key`. Report the error with its `X-Request-Id`.',
    example: errorMessages.internal_error,
  },
  not_implemented: {
    status: 501,
    when: 'The operation is listed but not implemented yet.',
    causes: ['The operation is experimental, and its format is not decided yet.'],
    advice: 'Do not use this operation yet.',
    example: errorMessages.not_implemented,
  },
  service_unavailable: {
    status: 503,
    when: 'The service is temporarily unavailable.',
    causes: [
      'The database cannot be reached, for example during a failover.',
      'The service is overloaded, and refuses some requests.',
    ],
    advice:
      'Repeat the request after the time in `Retry-After`. Repeat a POST only with an `Idempotency-Key`.',
    headers: [rateLimitHeaders.retryAfter],
    example: errorMessages.service_unavailable,
  },
});

/** An error code of the public API, for programs to compare. */
export type ErrorCode = keyof typeof errorCodes;
