import type { AdminErrorCode } from '@animal-store/contract/admin';

/** Why an operator's request is refused: an error of the admin API. */
export class Refusal {
  readonly code: AdminErrorCode;
  readonly message: string;

  constructor(code: AdminErrorCode, message: string) {
    this.code = code;
    this.message = message;
  }
}
