import { unreachableSince } from '../api/query-client.ts';
import { formatLocal } from '../components/time/format.ts';

/**
 * Shows a message while the service does not respond. The element exists even without a message,
 * because screen readers only announce changes of existing elements.
 */
export function ConnectionBar() {
  const since = unreachableSince.value;
  return (
    <div class="connection" role="status">
      {since !== undefined && (
        <p>
          The service has not responded since {formatLocal(new Date(since))}. This page may be out
          of date. It retries every few seconds.
        </p>
      )}
    </div>
  );
}
