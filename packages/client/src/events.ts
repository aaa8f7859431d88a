import type { OperationName } from '@animal-store/contract';
import type { AnyAnimalStoreError } from './errors/is-animal-store-error.ts';
import type { HttpResponse } from './http-response.ts';
import type { RateLimitState } from './read-rate-limit.ts';

/** The facts about the call, which every event contains. */
export interface CallEvent {
  /** The operation, such as `listPets`; for `request()`, its method and path. */
  operation: OperationName | (string & {});
  /** The HTTP method. */
  method: string;
  /** The path below `baseUrl` with the names of its parameters, such as `/pets/{petId}`. */
  pathTemplate: string;
  /** The address of the request, without its query. */
  url: string;
  /** The number of this attempt, from 1. It is 0 if the call failed before it sent a request. */
  attempt: number;
}

/** The event of a request that is about to be sent. */
export interface RequestEvent extends CallEvent {}

/** The event of a call that waits before it sends its next request. */
export interface WaitEvent extends CallEvent {
  /** How long the call waits at most, in milliseconds. */
  delayMs: number;
  /**
   * Why the call waits: the quota is used up, the API key is banned, or earlier requests have no
   * response yet. A wait for responses is reported only for a call that began at least 5 seconds
   * ago.
   */
  reason: 'quota' | 'ban' | 'queue';
  /** How many calls with the same API key are waiting, including this one. */
  queued: number;
}

/** The event of a response to one attempt of a call. */
export interface ResponseEvent extends CallEvent {
  /** The HTTP status. */
  status: number;
  /** The HTTP response. Its body has already been read. */
  response: HttpResponse;
  /** The time from sending the request to the last byte of the response, in milliseconds. */
  durationMs: number;
  /** The `X-Request-Id` of the response. */
  requestId: string | undefined;
  /** The quota state that the response reported. */
  rateLimit: RateLimitState | undefined;
}

/** The event of a failed attempt that will be retried. */
export interface RetryEvent extends CallEvent {
  /** The error of the attempt. */
  error: AnyAnimalStoreError;
  /** How long the client waits before the next attempt, in milliseconds. */
  delayMs: number;
}

/** The event of a call that failed after its last attempt. */
export interface ErrorEvent extends CallEvent {
  /** The error that the call rejects with. */
  error: AnyAnimalStoreError;
  /** How long the whole call took, including its waits, in milliseconds. */
  durationMs: number;
}

/** The event of a response that marks its operation as deprecated. */
export interface DeprecationEvent {
  /** The operation, such as `getPet`. */
  operation: OperationName | (string & {});
  /** A complete sentence about the deprecation, ready for a log. */
  message: string;
  /** The time when the service removes the operation (`Sunset`, RFC 8594). */
  sunsetAt: Date | undefined;
  /**
   * The address of the documentation about the deprecation (`Link` with `rel="deprecation"`, RFC
   * 9745).
   */
  url: string | undefined;
}
