import { until } from '@animal-store/testkit';
import { call } from './test-service.ts';

/** Sends a request, and repeats it while the answer is 503. */
export const callUntilServed: typeof call = (url, options) =>
  until(async () => {
    const answer = await call(url, options);
    return answer.status !== 503 && answer;
  });
