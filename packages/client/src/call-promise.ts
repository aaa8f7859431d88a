import type { HttpResponse } from './http-response.ts';
import type { RateLimitState } from './read-rate-limit.ts';

/** A success, and what came with it. */
export interface Result<Data> {
  /** What the call itself resolves to. */
  data: Data;
  /** The answer. Its body has been read. */
  response: HttpResponse;
  /** The `X-Request-Id` of the answer. Quote it when you report a fault. */
  requestId: string | undefined;
  /** What the answer says about the quota. */
  rateLimit: RateLimitState | undefined;
}

/** A promise of a call's data, and of its whole answer for those who ask. */
export interface Call<Data> extends Promise<Data> {
  /**
   * Gives the answer along with the data. The request is the same one.
   *
   * @example
   * ```ts
   * const { data, requestId, rateLimit } = await store.listPets().withResponse();
   * ```
   */
  withResponse(): Promise<Result<Data>>;
}

export function createCall<Data>(answer: Promise<Result<Data>>): Call<Data> {
  const data = answer.then((result) => result.data);
  return Object.assign(data, {
    withResponse() {
      // A failure is the caller's through the other promise, so this one must not go unhandled.
      data.catch(() => {});
      return answer;
    },
  });
}
