import { type ErrorBody, type ErrorCode, errorCodes } from '@animal-store/contract';

/** The status of each error code of an app. */
type ErrorTable<Code extends string> = Readonly<Record<Code, { readonly status: number }>>;

export interface HttpErrorOptions {
  /** Headers of the response, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error that the caller sees, with a code of the public contract. */
export class HttpError<Code extends string = ErrorCode> extends Error {
  override readonly name = 'HttpError';
  readonly code: Code;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param options.table the error codes of an app that does not use the public contract's codes.
   */
  constructor(
    code: Code,
    message: string,
    options: HttpErrorOptions & { readonly table?: ErrorTable<Code> } = {},
  ) {
    // An HttpError is a response, so nobody reads its stack trace. Capturing one takes 5 % of a 429,
    // and V8 keeps what the trace refers to until a full collection.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    Error.stackTraceLimit = stackTraceLimit;
    const { table = errorCodes as ErrorTable<Code>, headers = {} } = options;
    this.code = code;
    this.status = table[code].status;
    this.headers = headers;
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}
