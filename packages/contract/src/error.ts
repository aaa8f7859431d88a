import { z } from 'zod';

/**
 * Every error code with its HTTP status. Within v1 codes are only added, so clients treat one
 * that they do not know by its status.
 */
export const errorStatus = {
  invalid_request: 400,
  invalid_json: 400,
  unauthorized: 401,
  pet_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  key_temporarily_banned: 429,
  internal_error: 500,
  not_implemented: 501,
  service_unavailable: 503,
} as const;

/** A machine-readable error code. */
export type ErrorCode = keyof typeof errorStatus;

/** The body of every answer that is not a success. */
export interface ErrorBody {
  /** Machine-readable error code; an {@link ErrorCode}, or one that a newer service added. */
  code: string;
  /** Human-readable description, at most 1 kB. */
  message: string;
  /** The HTTP status code of the response. */
  status: number;
}

/** @internal Kept out of the client's declarations; see `pet.ts`. */
export const ErrorBody = z.object({
  code: z.string(),
  message: z.string(),
  status: z.int(),
}) satisfies z.ZodType<ErrorBody>;

/** The greatest length of an error message, in bytes of UTF-8. */
export const maxMessageBytes = 1024;
