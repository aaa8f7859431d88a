import { ApiError } from './api-error.ts';

/** The service, or a proxy before it, failed: a status from 500 to 599. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError' as const;
}
