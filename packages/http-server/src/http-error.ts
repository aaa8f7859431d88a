import { type ErrorBody, type ErrorCode, errorCodes } from '@animal-store/contract';

/** The HTTP status of each error code of an API. */
type ErrorTable<Code extends string> = Readonly<Record<Code, { readonly status: number }>>;

export interface HttpErrorOptions {
  /** Additional headers of the response, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * An error that is sent to the caller. The error code comes from the public contract, unless
 * another table of codes is given.
 */
export class HttpError<Code extends string = ErrorCode> extends Error {
  override readonly name = 'HttpError';
  readonly code: Code;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * Creates the error.
   *
   * @param options.table the error codes of another API, such as the admin API, instead of the
   * public codes.
   */
  constructor(
    code: Code,
    message: string,
    options: HttpErrorOptions & { readonly table?: ErrorTable<Code> } = {},
  ) {
    // The error has no stack trace, because the error is only sent as a response, and nobody would
    // read a stack trace. Capturing a stack trace takes 5 % of the CPU time of a 429. V8 would also
    // keep everything that the stack trace refers to until a full garbage collection.
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
