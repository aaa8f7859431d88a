import { minutesAhead } from '../api/clock-difference.ts';
import { unreachableSince } from '../api/query-client.ts';
import { formatCount, formatLocal } from '../components/time/format.ts';

/**
 * Shows a message while the service does not respond, and while the clock of this computer is wrong.
 * The element exists even without a message, because screen readers only announce changes of
 * existing elements.
 */
export function ConnectionBar() {
  const since = unreachableSince.value;
  const ahead = minutesAhead.value;
  return (
    <div class="connection" role="status">
      {since !== undefined && (
        <p>
          The service has not responded since {formatLocal(new Date(since))}. This page may be out
          of date. It retries every few seconds.
        </p>
      )}
      {ahead !== 0 && (
        <p>
          The clock of this computer is {formatCount(Math.abs(ahead))} minutes{' '}
          {ahead > 0 ? 'ahead of' : 'behind'} the clock of the service. Until you correct it, plots
          show the wrong period, and times such as “2 hours ago” are wrong.
        </p>
      )}
    </div>
  );
}
