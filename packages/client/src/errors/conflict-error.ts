import { ApiError } from './api-error.ts';

/** A request with the same idempotency key is still in progress. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError' as const;
  override readonly status = 409 as const;
}
