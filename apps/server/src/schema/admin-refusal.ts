import type { AdminErrorCode } from '@animal-store/admin-contract';
import { Rollback } from '@animal-store/postgres';

/**
 * A refused request of the admin API, with its error code. The error also rolls back the
 * transaction in which it is thrown.
 */
export class AdminRefusal extends Rollback {
  override readonly name = 'AdminRefusal';
  readonly code: AdminErrorCode;

  constructor(code: AdminErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
