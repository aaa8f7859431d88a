import type { HttpResponse } from './http-response.ts';
import type { RateLimitState } from './read-rate-limit.ts';

/** The data of a successful call, along with its response. */
export interface Result<Data> {
  /** The value that the call itself resolves to, such as an animal. */
  data: Data;
  /** The HTTP response. Its body has already been read. */
  response: HttpResponse;
  /** The `X-Request-Id` of the response. Quote it when you report a problem. */
  requestId: string | undefined;
  /** The quota state that the response reported. */
  rateLimit: RateLimitState | undefined;
}

/** A promise of the data of a call. Its method `withResponse` returns the whole response too. */
export interface Call<Data> extends Promise<Data> {
  /**
   * Returns the response along with the data. The method sends no second request.
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
      // After a call of `withResponse`, nobody awaits the promise of the data. A handler ignores
      // the rejection of this promise, because Node would report the rejection as unhandled. The
      // caller still receives the failure from the promise that `withResponse` returns.
      data.catch(() => {});
      return answer;
    },
  });
}
