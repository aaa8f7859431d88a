import type { KeyDetails } from '@animal-store/admin-contract';
import { AccountLink } from '../../components/account-link.tsx';
import { QuotaMeters, SingleReplicaNotice } from '../../components/meter.tsx';
import { formatCount } from '../../components/time/format.ts';
import { Time } from '../../components/time/time.tsx';

/**
 * Warns that the key will be banned if its callers continue to ignore responses with 429. The
 * warning appears when the key has half of the strikes that are allowed before a ban.
 */
export function Strikes({ details: { usage } }: { details: KeyDetails }) {
  const { bannedUntil, strikes, strikeThreshold } = usage;
  if (bannedUntil !== null || strikeThreshold === null) return null;
  if (strikes * 2 < strikeThreshold || strikes === 0) return null;
  return (
    <p class="state warned">
      <strong>{formatCount(strikes)} strikes</strong>. More than {formatCount(strikeThreshold)} lead
      to a ban. The key keeps sending requests instead of waiting after a 429.
    </p>
  );
}

/** Shows how much of its quota the key has used, and its strikes. */
export function Windows({ details: { account, usage } }: { details: KeyDetails }) {
  const { windows, scope, subject, strikes, strikesResetAt, strikeThreshold } = usage;
  return (
    <section aria-label="Quota">
      <div class="meters">
        <QuotaMeters windows={windows} />
        <div class="meter">
          <h2 class="label">Strikes</h2>
          <p class="figure">
            <strong>{formatCount(strikes)}</strong>
          </p>
          <p class="muted">
            {strikeThreshold === null
              ? 'Bans are turned off.'
              : `Requests sent too early after a 429. More than ${formatCount(strikeThreshold)} lead to a ban.`}
          </p>
          {strikesResetAt && (
            <p class="muted">
              Resets <Time at={strikesResetAt} hasDistance />
            </p>
          )}
        </div>
      </div>
      {subject === 'account' && (
        <p class="muted">
          All keys of the account <AccountLink account={account} /> share these limits.
        </p>
      )}
      {scope === 'replica' && <SingleReplicaNotice />}
    </section>
  );
}
