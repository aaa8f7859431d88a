import type { HttpResponse } from './http-response.ts';
import type { RateLimitState } from './read-rate-limit.ts';

/** The data of a successful call, and its response. */
export interface Result<Data> {
  /** The value that the call itself resolves to. */
  data: Data;
  /** The response. Its body has been read. */
  response: HttpResponse;
  /** The `X-Request-Id` of the response. Quote it when you report a problem. */
  requestId: string | undefined;
  /** The quota state from the response. */
  rateLimit: RateLimitState | undefined;
}

/** A promise of a call's data, which can also return the whole response. */
export interface Call<Data> extends Promise<Data> {
  /**
   * Returns the response along with the data. It sends no second request.
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
      // The caller handles a failure through the other promise, so this one must not cause an
      // unhandled rejection.
      data.catch(() => {});
      return answer;
    },
  });
}
