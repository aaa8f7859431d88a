import type { OperationName } from '@animal-store/contract';
import type { AnyAnimalStoreError } from './errors/is-animal-store-error.ts';
import type { HttpResponse } from './http-response.ts';
import type { RateLimitState } from './read-rate-limit.ts';

/** The facts about its call that every event contains. */
export interface CallEvent {
  /** The operation, such as `listPets`; for `request()`, its method and path. */
  operation: OperationName | (string & {});
  /** The HTTP method. */
  method: string;
  /** The path below `baseUrl` with the names of its parameters, such as `/pets/{petId}`. */
  pathTemplate: string;
  /** The address, without its query. */
  url: string;
  /** The number of this attempt, from 1; 0 if the call failed before it sent a request. */
  attempt: number;
}

/** A request that is about to be sent. */
export interface RequestEvent extends CallEvent {}

/** A call that waits before its next request is sent. */
export interface WaitEvent extends CallEvent {
  /** The longest time that it waits, in milliseconds. */
  delayMs: number;
  /**
   * The quota is used up, the key is banned, or earlier requests have had no response for 5
   * seconds.
   */
  reason: 'quota' | 'ban' | 'queue';
  /** How many calls with the same key wait, including this one. */
  queued: number;
}

/** A response to one attempt of a call. */
export interface ResponseEvent extends CallEvent {
  /** The HTTP status. */
  status: number;
  /** The response. Its body has been read. */
  response: HttpResponse;
  /** How long the attempt took until the last byte of the response, in milliseconds. */
  durationMs: number;
  /** The `X-Request-Id` of the response. */
  requestId: string | undefined;
  /** The quota state from the response. */
  rateLimit: RateLimitState | undefined;
}

/** A failed attempt that will be repeated. */
export interface RetryEvent extends CallEvent {
  /** The error of the attempt. */
  error: AnyAnimalStoreError;
  /** How long the client waits before the next attempt, in milliseconds. */
  delayMs: number;
}

/** A call that failed after its last attempt. */
export interface ErrorEvent extends CallEvent {
  /** The error that the call rejects with. */
  error: AnyAnimalStoreError;
  /** How long the whole call took, including its waits, in milliseconds. */
  durationMs: number;
}

/** A deprecated operation, as described by its response. */
export interface DeprecationEvent {
  /** The operation, such as `getPet`. */
  operation: OperationName | (string & {});
  /** A sentence with all of these facts, for a log. */
  message: string;
  /** When the operation ends (`Sunset`, RFC 8594). */
  sunsetAt: Date | undefined;
  /** Where to read more (`Link` with `rel="deprecation"`, RFC 9745). */
  url: string | undefined;
}
