import { type AdminErrorCode, adminErrorCodes } from '@animal-store/admin-contract';
import { HttpError, type HttpErrorOptions } from '@animal-store/http-server';

/** An error that is sent to an operator, with a code of the admin contract. */
export class AdminError extends HttpError<AdminErrorCode> {
  constructor(code: AdminErrorCode, message: string, options: HttpErrorOptions = {}) {
    super(code, message, { ...options, table: adminErrorCodes });
  }
}
