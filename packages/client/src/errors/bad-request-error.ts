import { ApiError } from './api-error.ts';

/** The request was invalid; the message names each field and what was expected of it. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError' as const;
  override readonly status = 400 as const;
}
