import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { linkTo, useAddress } from '../address.ts';
import { ConnectionFailure, RefusedRequest, SessionEnded } from '../api/failures.ts';

/**
 * Shows data, or a message if the data is still loading or could not be loaded.
 *
 * @param what the name of the data, such as "the keys".
 */
export function Loaded<Data>({
  query,
  what,
  children,
}: {
  query: UseQueryResult<Data>;
  what: string;
  children: (data: Data) => ComponentChildren;
}) {
  const { data, error, isSuccess, refetch } = query;
  // The page keeps the last error until a request succeeds. The query forgets the error at the
  // start of each retry, so without this copy the error message would flicker.
  const failed = useRef<Error | undefined>(undefined);
  if (isSuccess) failed.current = undefined;
  else if (error !== null && !(error instanceof SessionEnded)) failed.current = error;
  const failure = failed.current;
  const retry = () => void refetch();
  if (data === undefined) {
    return failure === undefined ? (
      <p class="state" role="status">
        Loading {what}…
      </p>
    ) : (
      <Failure failure={failure} what={what} retry={retry} />
    );
  }
  // A failed connection is not reported here, because the bar at the top of the page reports it.
  const isOutdated = failure !== undefined && !(failure instanceof ConnectionFailure);
  return (
    <>
      {isOutdated && <Failure failure={failure} what={what} retry={retry} />}
      {children(data)}
    </>
  );
}

/** Shows why the data could not be loaded, and what to do. */
function Failure({ failure, what, retry }: { failure: Error; what: string; retry: () => void }) {
  const { page, id } = useAddress();
  const hasId = id !== undefined;
  return (
    <div class="state failed" role="alert">
      <p>
        <strong>Could not load {what}.</strong> {failure.message}
      </p>
      <p>{adviceFor(failure, hasId)}</p>
      {hasId && isCausedByAddress(failure) ? (
        <p>
          <a class="button" href={linkTo(page === 'account' ? 'accounts' : 'keys')}>
            Search the list
          </a>
        </p>
      ) : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/**
 * Returns whether the address of the page caused the failure, because it contains an invalid
 * parameter or an id that does not exist. In this case, a retry would fail again.
 */
const isCausedByAddress = (failure: Error) =>
  failure instanceof RefusedRequest && (failure.status === 404 || failure.status === 400);

function adviceFor(failure: Error, hasId: boolean): string {
  if (failure instanceof ConnectionFailure) {
    return 'Check that the service is running, and that your tunnel to it is open. This page retries automatically.';
  }
  if (!(failure instanceof RefusedRequest)) return 'Reload the page. If it fails again, report it.';
  switch (failure.status) {
    case 400:
      return hasId
        ? 'Check the address of this page: it is incomplete or mistyped.'
        : 'The address of this page contains an invalid value. Clear the filters.';
    case 403:
      return 'Ask an owner to do it, or ask for a token with the required role.';
    case 404:
      return 'Check the ID: it may be mistyped.';
    case 429:
      return 'Wait a moment.';
    case 503:
      return 'The database does not respond. This page retries automatically.';
    default:
      return 'See the service log for the cause. This page retries automatically.';
  }
}
