import type { Pet } from '@animal-store/contract';
import type { RateLimitState } from './rate-limit-state.ts';

/** A success, and what came with it. */
export interface Result<Data> {
  data: Data;
  /** The answer. Its body has been read. */
  response: Response;
  /** The `X-Request-Id` of the answer: quote it when you report a fault. */
  requestId: string | undefined;
  /** What the answer says about the quota. */
  rateLimit: RateLimitState | undefined;
}

/** A page of animals, and what came with it. */
export interface PageResult extends Result<Pet[]> {
  /** The `cursor` of the page that follows, or `undefined` on the last page. */
  nextCursor: string | undefined;
}

/** A call on its way: a promise of its data, and of its whole answer for those who ask. */
export interface Call<Data, Answer extends Result<Data> = Result<Data>> extends Promise<Data> {
  /** Gives the answer along with the data; the request is the same one. */
  withResponse(): Promise<Answer>;
}

export function createCall<Data, Answer extends Result<Data>>(
  answer: Promise<Answer>,
): Call<Data, Answer> {
  const data = answer.then((result): Data => result.data);
  return Object.assign(data, {
    withResponse() {
      // Who asks for the answer gets its failure there, and leaves the other promise alone.
      data.catch(() => {});
      return answer;
    },
  });
}
