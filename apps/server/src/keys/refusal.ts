import type { AdminErrorCode } from '@animal-store/contract/admin';

/** Why something is not done for an operator: the error that the answer tells. */
export class Refusal {
  readonly code: AdminErrorCode;
  readonly message: string;

  constructor(code: AdminErrorCode, message: string) {
    this.code = code;
    this.message = message;
  }
}
