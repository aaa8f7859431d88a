import type { OperationName } from '@animal-store/contract';
import type { AnyAnimalStoreError } from './errors/is-animal-store-error.ts';
import type { HttpResponse } from './http-response.ts';
import type { RateLimitState } from './read-rate-limit.ts';

/** What every event tells of its call. */
export interface CallEvent {
  /** The operation, such as `listPets`; of `request()`, its method and path. */
  operation: OperationName | (string & {});
  /** The HTTP method. */
  method: string;
  /** The path below `baseUrl` with its parameters by name, such as `/pets/{petId}`. */
  pathTemplate: string;
  /** The address, without its query. */
  url: string;
  /** Which attempt of the call this is, from 1. 0 if the call failed before it sent a request. */
  attempt: number;
}

/** A request that is about to be sent. */
export interface RequestEvent extends CallEvent {}

/** A call that waits before its next request is sent. */
export interface WaitEvent extends CallEvent {
  /** How long it waits at most, in milliseconds. */
  delayMs: number;
  /** The quota is used up, the key is banned, or earlier requests have had no answer for 5 seconds. */
  reason: 'quota' | 'ban' | 'queue';
  /** How many calls with the same key wait, this one included. */
  queued: number;
}

/** An answer to one attempt of a call. */
export interface ResponseEvent extends CallEvent {
  /** The HTTP status. */
  status: number;
  /** The answer. Its body has been read. */
  response: HttpResponse;
  /** How long the attempt took until the last byte of the answer, in milliseconds. */
  durationMs: number;
  /** The `X-Request-Id` of the answer. */
  requestId: string | undefined;
  /** What the answer says about the quota. */
  rateLimit: RateLimitState | undefined;
}

/** A failed attempt that will be repeated. */
export interface RetryEvent extends CallEvent {
  /** What the attempt failed with. */
  error: AnyAnimalStoreError;
  /** How long the client waits before the next attempt, in milliseconds. */
  delayMs: number;
}

/** A call that failed for good. */
export interface ErrorEvent extends CallEvent {
  /** What the call rejects with. */
  error: AnyAnimalStoreError;
  /** How long the whole call took, waits included, in milliseconds. */
  durationMs: number;
}

/** An operation that is going away, as its answer says. */
export interface DeprecationEvent {
  /** The operation, such as `getPet`. */
  operation: OperationName | (string & {});
  /** A sentence with all of this, for a log. */
  message: string;
  /** When the operation ends (`Sunset`, RFC 8594). */
  sunsetAt: Date | undefined;
  /** Where to read more (`Link` with `rel="deprecation"`, RFC 9745). */
  url: string | undefined;
}
