import type { Overview } from '@animal-store/admin-contract';
import { linkTo } from '../../address.ts';
import { sumOf } from '../../components/plot/usage.ts';
import { formatShare } from '../../components/time/format.ts';
import { CallerLink } from './caller-link.tsx';

/**
 * The share of the requests in the last minute that must be denied or failed before the page shows
 * a problem.
 */
export const problemShares = { denied: 0.25, failed: 0.01 };

/** The largest number of callers that a sentence names. */
const maxNamedCallers = 3;

/** Describes the current problems in one sentence, and names the affected callers. */
export function Problems({ overview: { traffic, denied: callers } }: { overview: Overview }) {
  const { requests } = traffic;
  const total = Math.max(sumOf(requests), 1);
  const denied = (requests.denied + requests.banned) / total;
  const failed = requests.server_error / total;
  const others = callers.length - maxNamedCallers;
  return (
    <>
      {failed >= problemShares.failed && (
        <p class="state failed">
          <strong>
            {formatShare(failed)} of requests in the last minute failed with a server error.
          </strong>{' '}
          See the service log.
        </p>
      )}
      {denied >= problemShares.denied && (
        <p class="state warned">
          <strong>
            {formatShare(denied)} of requests in the last minute were denied
            {callers.length > 0 ? ':' : '.'}
          </strong>
          {callers.slice(0, maxNamedCallers).map((caller, n, { length }) => (
            <>
              {n === 0 ? ' ' : n === length - 1 && others <= 0 ? ' and ' : ', '}
              <CallerLink caller={caller} />
            </>
          ))}
          {others > 0 && (
            <>
              {' '}
              and <a href={linkTo('keys', { query: { sort: '-denials' } })}>others</a>
            </>
          )}
        </p>
      )}
    </>
  );
}
