import type { ErrorCode } from '@animal-store/contract';
import { AnimalStoreError } from './animal-store-error.ts';

/** @internal Marks the errors of every copy of this package; see `isApiError`. */
export const apiErrorBrand: unique symbol = Symbol.for('@animal-store/client/ApiError') as never;

/** What an answer says about its failure. */
export interface ApiErrorDetails {
  status: number;
  code: ErrorCode | (string & {}) | undefined;
  message: string;
  headers: Headers;
}

/** The service, or a proxy before it, answered with something other than a success. */
export class ApiError extends AnimalStoreError {
  override readonly name: string = 'ApiError';

  /** The HTTP status of the answer. */
  readonly status: number;

  /**
   * The service's machine-readable code; a newer service may send others than those listed.
   * `undefined` when the body is not the service's, such as a proxy's HTML.
   */
  readonly code: ErrorCode | (string & {}) | undefined;

  /** The `X-Request-Id` of the answer: quote it when you report a fault. */
  readonly requestId: string | undefined;

  /** The header fields of the answer. */
  readonly headers: Headers;

  constructor({ status, code, message, headers }: ApiErrorDetails, options?: { cause?: unknown }) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.requestId = headers.get('X-Request-Id') ?? undefined;
    this.headers = headers;
  }

  /** @internal On the prototype, where no inspection of an error shows it. */
  get [apiErrorBrand](): true {
    return true;
  }
}
