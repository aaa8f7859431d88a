import type { AdminErrorCode } from '@animal-store/admin-contract';
import { Rollback } from '@animal-store/postgres';

/** Why an operator's request is refused: an error of the admin API. It undoes the change that throws it. */
export class AdminRefusal extends Rollback {
  override readonly name = 'AdminRefusal';
  readonly code: AdminErrorCode;

  constructor(code: AdminErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
