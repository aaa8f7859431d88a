import { ApiError } from './api-error.ts';

/** The API key is missing, wrong, expired or revoked. Trying again does not help. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError' as const;
  override readonly status = 401 as const;
}
