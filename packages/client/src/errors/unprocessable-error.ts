import { ApiError } from './api-error.ts';

/** The idempotency key was used before, for a different animal. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError' as const;
  override readonly status = 422 as const;
}
