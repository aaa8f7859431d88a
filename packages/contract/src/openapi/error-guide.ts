import type { ErrorCode } from '../error.ts';

/** What a caller should know of an error code. */
export interface ErrorAdvice {
  /** When it comes. */
  readonly when: string;
  /** What to do about it. */
  readonly advice: string;
}

/** One entry for each error code, in the order of the table of codes. */
export const errorGuide: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  invalid_request: {
    when: 'A parameter, a header or a member of the body is missing or not valid.',
    advice: 'Correct what the message names. Repeating the same request gives the same answer.',
  },
  invalid_json: {
    when: 'The body is not JSON in UTF-8.',
    advice: 'Write the body with a JSON library.',
  },
  unauthorized: {
    when: 'There is no API key, or it is wrong, expired or revoked.',
    advice: 'Send a valid key as `Authorization: Bearer <API_KEY>`.',
  },
  pet_not_found: {
    when: 'No animal has this `id`.',
    advice: 'Look for it in the list.',
  },
  not_found: {
    when: 'There is no such path.',
    advice: 'Compare the address with the reference. Paths have no trailing slash.',
  },
  method_not_allowed: {
    when: 'The path exists, but not with this method.',
    advice: 'Use one of the methods in `Allow`.',
  },
  idempotency_in_progress: {
    when: 'The first request with this `Idempotency-Key` is not finished.',
    advice: 'Repeat the request after `Retry-After`.',
  },
  payload_too_large: {
    when: 'The body is greater than 16 kB.',
    advice: 'Send less.',
  },
  unsupported_media_type: {
    when: 'The body is not announced as JSON in UTF-8, or is compressed.',
    advice: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
  },
  idempotency_key_reused: {
    when: 'The `Idempotency-Key` was used for another animal.',
    advice: 'Make a new key for each animal, and keep it only for repetitions.',
  },
  rate_limit_exceeded: {
    when: 'The quota of the key, or of the address if there is no valid key, is used up.',
    advice: 'Wait as long as `Retry-After` says, then go on.',
  },
  key_temporarily_banned: {
    when: 'The key went on sending after it had been told to wait.',
    advice: 'Stop, wait as long as `Retry-After` says, and find out what did not wait.',
  },
  internal_error: {
    when: 'A fault of the service.',
    advice:
      'Repeat the request with growing pauses, a POST only with an `Idempotency-Key`. Report it with its `X-Request-Id`.',
  },
  not_implemented: {
    when: 'The operation is listed, but not there yet.',
    advice: 'Do not rely on it.',
  },
  service_unavailable: {
    when: 'Something that the service needs is away for the moment.',
    advice: 'Repeat the request after `Retry-After`, a POST only with an `Idempotency-Key`.',
  },
};
