import type { AdminErrorCode } from '@animal-store/contract/admin';
import { Rollback } from '../database/statement.ts';

/** Why an operator's request is refused: an error of the admin API. It undoes the change that throws it. */
export class Refusal extends Rollback {
  override readonly name = 'Refusal';
  readonly code: AdminErrorCode;

  constructor(code: AdminErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
