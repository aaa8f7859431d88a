import type { OperationName } from '@animal-store/contract';
import type { AnimalStoreError } from './errors/animal-store-error.ts';
import type { RateLimitState } from './rate-limit-state.ts';

/** An answer to one attempt of a call. */
export interface ResponseEvent {
  operation: OperationName;
  /** Which attempt of the call this is, from 1. */
  attempt: number;
  /** The answer. Its body has been read. */
  response: Response;
  /** The `X-Request-Id` of the answer. */
  requestId: string | undefined;
  /** What the answer says about the quota. */
  rateLimit: RateLimitState | undefined;
}

/** A failed attempt that will be repeated. */
export interface RetryEvent {
  operation: OperationName;
  /** Which attempt of the call failed, from 1. */
  attempt: number;
  /** What it failed with. */
  error: AnimalStoreError;
  /** How long the client waits before the next attempt, in milliseconds. */
  delayMs: number;
}

/** An operation that is going away, as its answer says. */
export interface DeprecationEvent {
  operation: OperationName;
  /** A sentence with all of this, for a log. */
  message: string;
  /** When the operation ends (`Sunset`, RFC 8594). */
  sunsetAt: Date | undefined;
  /** Where to read more (`Link` with `rel="deprecation"`, RFC 9745). */
  url: string | undefined;
}
