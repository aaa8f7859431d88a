import type { KeyUsage } from '@animal-store/admin-contract';
import { formatCount, formatShare } from './time/format.ts';
import { Time } from './time/time.tsx';

/** Shows the quota windows of a key or an account: the minute and the day. */
export function QuotaMeters({ windows }: { windows: KeyUsage['windows'] }) {
  return (
    <>
      <QuotaMeter label="Current minute" window={windows.minute} />
      <QuotaMeter label="Current day" window={windows.day} />
    </>
  );
}

/** A note that the numbers come from a single replica, and not from the whole service. */
export function SingleReplicaNotice() {
  return (
    <p class="state warned">
      Redis does not respond. These counts come from one replica, with its share of each limit.
      Other replicas have their own counts.
    </p>
  );
}

/** Shows one quota window: how much of the limit is used, and when the window resets. */
function QuotaMeter({
  label,
  window: { limit, remaining, resetsAt },
}: {
  label: string;
  window: { limit: number; remaining: number; resetsAt: string };
}) {
  const used = limit - remaining;
  const share = used / limit;
  return (
    <div class="meter">
      <h2 class="label">{label}</h2>
      <p class="figure">
        <strong>{formatCount(used)}</strong> of {formatCount(limit)}
        <span class="muted"> · {formatShare(share)}</span>
      </p>
      <meter
        aria-label={`${label}: share of the limit used`}
        min={0}
        max={limit}
        low={limit * 0.8}
        high={limit * 0.95}
        optimum={0}
        value={used}
      >
        {formatShare(share)}
      </meter>
      <p class="muted">
        {used === 0 ? (
          'No requests yet.'
        ) : (
          <>
            Resets <Time at={resetsAt} hasDistance />
          </>
        )}
      </p>
    </div>
  );
}
