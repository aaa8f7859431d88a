import { unreachableSince } from '../api/query-client.ts';
import { formatLocal } from '../components/time/format.ts';

/** Tells that the service does not answer. The bar is always in the page: screen readers announce only its changes. */
export function ConnectionBar() {
  const since = unreachableSince.value;
  return (
    <div class="connection" role="status">
      {since !== undefined && (
        <p>
          Service not reachable since {formatLocal(new Date(since))}. What you see may be out of
          date. Retrying every few seconds.
        </p>
      )}
    </div>
  );
}
