import { type ErrorBody, type ErrorCode, errorCodes } from '@animal-store/contract';
import { type AdminErrorCode, adminErrorCodes } from '@animal-store/contract/admin';

const descriptions = { ...errorCodes, ...adminErrorCodes };

/** An error that the client sees, with a code of the public or the admin contract. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: ErrorCode | AdminErrorCode;
  readonly status: number;
  /** Headers of the response, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode | AdminErrorCode,
    message: string,
    options: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.status = descriptions[code].status;
    this.headers = options.headers ?? {};
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}
