import type { AdminErrorCode } from '@animal-store/admin-contract';
import { Rollback } from '@animal-store/postgres';

/**
 * An error that refuses a request of the admin API with an error code. The error also rolls back
 * the transaction in which it is thrown.
 */
export class AdminRefusal extends Rollback {
  override readonly name = 'AdminRefusal';
  readonly code: AdminErrorCode;

  constructor(code: AdminErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
