import { ApiError } from './api-error.ts';

/** There is no such animal (`pet_not_found`), or no such path (`not_found`). */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError' as const;
  override readonly status = 404 as const;
}
