import type { OperationName } from '@animal-store/contract';

/** @internal Marks the errors of every copy of this package; see `isAnimalStoreError`. */
export const errorBrand: unique symbol = Symbol.for('@animal-store/client/error') as never;

/** What a call was doing when it failed. */
export interface CallDetails {
  /** The operation, such as `listPets`; of `request()`, its method and path. */
  operation: OperationName | (string & {});
  /** The HTTP method. */
  method: string;
  /** The path below `baseUrl` with its parameters by name, such as `/pets/{petId}`. */
  pathTemplate?: string | undefined;
  /** The address, without its query. */
  url: string;
  /** How many requests the call had sent. 0 if it failed before the first. */
  attempts: number;
}

/**
 * The base of every error that a call rejects with, except a `TypeError` for an argument that cannot
 * be sent. The message begins with the operation. No member holds the API key or a query, so the
 * error can be logged as it is.
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
  /** The name of the class. It narrows the type; see {@link isAnimalStoreError}. */
  override readonly name: string = 'AnimalStoreError';

  // Declared here for those who compile with a library older than ES2022, which lacks it.
  /** What caused the error, where that is known. */
  declare readonly cause?: unknown;

  /** The operation, such as `listPets`; of `request()`, its method and path. */
  declare readonly operation: OperationName | (string & {});

  /** The HTTP method. */
  declare readonly method: string;

  /** The path below `baseUrl` with its parameters by name, such as `/pets/{petId}`. */
  declare readonly pathTemplate: string | undefined;

  /** The address, without its query. */
  declare readonly url: string;

  /** How many requests the call had sent. 0 if it failed before the first. */
  declare readonly attempts: number;

  /** The `X-Request-Id` of the answer, if there was one. Quote it when you report a fault. */
  declare readonly requestId: string | undefined;

  constructor(message: string, call: CallDetails, cause?: unknown) {
    super(`${call.operation}: ${message}`, cause === undefined ? {} : { cause });
    Object.assign(this, call);
  }

  /**
   * Gives what `JSON.stringify` and loggers write: every member, the message, and the header fields as a
   * record. Use it for `structuredClone` and workers, too, which keep nothing of an error but its message.
   */
  toJSON(): Record<string, unknown> {
    const members: object = { ...this };
    const { headers } = members as { headers?: Iterable<[string, string]> };
    return {
      ...members,
      message: this.message,
      ...(headers && { headers: Object.fromEntries(headers) }),
    };
  }

  /** @internal On the prototype, so that logs do not show it. */
  get [errorBrand](): true {
    return true;
  }
}
