import type { Overview } from '@animal-store/admin-contract';
import { ConnectionFailure } from '../../api/failures.ts';
import { Badge } from '../../components/badge.tsx';

/** The readiness of the service. */
type Health = Overview['readiness'];

/**
 * Fetches the readiness of the service. The request needs no session, and it works while the
 * database is down.
 */
export async function readHealth({ signal }: { signal: AbortSignal }): Promise<Health> {
  try {
    const response = await fetch('/readyz', { signal });
    return await response.json();
  } catch (cause) {
    signal.throwIfAborted();
    throw new ConnectionFailure({ cause });
  }
}

/** Shows whether the database and Redis respond, or are not configured. */
export function Health({
  health,
  stores,
}: {
  health: Health | undefined;
  stores: Overview['stores'] | undefined;
}) {
  const reasons = health?.reasons ?? [];
  const badge = (pattern: RegExp) => {
    if (health === undefined) return <Badge tone="neutral" text="unknown" />;
    return reasons.some((reason) => pattern.test(reason)) ? (
      <Badge tone="bad" text="not responding" />
    ) : (
      <Badge tone="good" text="connected" />
    );
  };
  return (
    <section aria-label="State">
      <ul class="parts">
        <li>
          {stores?.database === 'postgres' ? 'Postgres' : 'Database'}: {badge(/database/i)}
          {stores?.database === 'embedded' && ' (embedded)'}
        </li>
        {stores?.quotas === 'in-process' ? (
          <li class="muted">Limits are per process (Redis is not configured).</li>
        ) : (
          <li>Redis: {badge(/redis/i)}</li>
        )}
      </ul>
      {reasons.map((reason) => (
        <p class="state failed">{reason}</p>
      ))}
    </section>
  );
}
