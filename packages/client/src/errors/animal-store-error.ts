import type { OperationName } from '@animal-store/contract';

/**
 * @internal The property that all errors of this package have, even if the process has loaded
 *   several copies of the package. `isAnimalStoreError` checks the property.
 */
export const errorBrand: unique symbol = Symbol.for('@animal-store/client/error') as never;

/** The facts about a call that failed. */
export interface CallDetails {
  /** The operation, such as `listPets`; for `request()`, its method and path. */
  operation: OperationName | (string & {});
  /** The HTTP method. */
  method: string;
  /** The path below `baseUrl` with the names of its parameters, such as `/pets/{petId}`. */
  pathTemplate?: string | undefined;
  /** The address of the request, without its query. */
  url: string;
  /** How many requests the call has sent; 0 if it failed before the first request. */
  attempts: number;
}

/**
 * The base class of every error that a call rejects with, except a `TypeError` for an argument that
 * cannot be sent. The message begins with the operation. No member contains the API key or a query,
 * so you can log the error as it is.
 *
 * @example
 * ```ts
 * try {
 *   await store.listPets();
 * } catch (error) {
 *   if (!(error instanceof AnimalStoreError)) throw error;
 *   console.error(error.message, error.attempts, error.requestId);
 * }
 * ```
 */
export class AnimalStoreError extends Error implements CallDetails {
  /** The name of the class. A check of `name` narrows the type: see {@link isAnimalStoreError}. */
  override readonly name: string = 'AnimalStoreError';

  // `Error` has had `cause` since ES2022. The class declares this member again for users who
  // compile with an older `lib` of TypeScript.
  /** The cause of the error, if it is known. */
  declare readonly cause?: unknown;

  /** The operation, such as `listPets`; for `request()`, its method and path. */
  declare readonly operation: OperationName | (string & {});

  /** The HTTP method. */
  declare readonly method: string;

  /** The path below `baseUrl` with the names of its parameters, such as `/pets/{petId}`. */
  declare readonly pathTemplate: string | undefined;

  /** The address of the request, without its query. */
  declare readonly url: string;

  /** How many requests the call has sent; 0 if it failed before the first request. */
  declare readonly attempts: number;

  /** The `X-Request-Id` of the response, if there was one. Quote it when you report a problem. */
  declare readonly requestId: string | undefined;

  constructor(message: string, call: CallDetails, cause?: unknown) {
    super(`${call.operation}: ${message}`, cause === undefined ? {} : { cause });
    Object.assign(this, call);
  }

  /**
   * Returns what `JSON.stringify` and loggers write: all members except `cause` and `stack`, and the
   * header fields as a record. Call it also before you send an error to a worker, because
   * `structuredClone` keeps only the message of an error.
   */
  toJSON(): Record<string, unknown> {
    const { headers, ...members } = this as { headers?: Iterable<[string, string]> };
    return {
      ...members,
      message: this.message,
      ...(headers && { headers: Object.fromEntries(headers) }),
    };
  }

  /**
   * @internal The property that marks the errors of this package is a getter on the prototype, so
   *   that a logged error does not show the property.
   */
  get [errorBrand](): true {
    return true;
  }
}
