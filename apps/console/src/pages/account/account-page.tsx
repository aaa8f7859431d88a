import type { AccountDetails, BusyKey } from '@animal-store/admin-contract';
import { linkTo } from '../../address.ts';
import { may } from '../../api/session.ts';
import { useAdminWithHistory, type WithHistory } from '../../api/use-admin.ts';
import { Badge } from '../../components/badge.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Figure } from '../../components/figure.tsx';
import { KeyLink } from '../../components/key-link.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { QuotaMeters, SingleReplicaNotice } from '../../components/meter.tsx';
import { Name } from '../../components/name.tsx';
import { Usage } from '../../components/plot/usage-section.tsx';
import { findDenials, refusalsOfAccount } from '../../components/refusals/refusals.ts';
import { WhyRefused } from '../../components/refusals/why-refused.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { KeyTable } from '../../components/table/key-table.tsx';
import { Table } from '../../components/table/table.tsx';
import { formatCount, formatKeys, formatShare } from '../../components/time/format.ts';
import { type TimeRange, useTimeRange } from '../../components/time/time-range.ts';
import { AccountActions } from './account-actions.tsx';

/** The largest number of keys that the page shows. A link leads to the list of all keys. */
const maxShownKeys = 20;

/**
 * The page of one account: its limits, the usage of all its keys together, and its busiest keys.
 */
export function AccountPage({ id }: { id: string }) {
  const range = useTimeRange();
  const details = useAdminWithHistory('getAccount', { id }, range);
  const { data } = details;
  const banned = data?.bannedKeys ?? 0;
  return (
    <>
      <p class="path">
        <a href={linkTo('accounts')}>Accounts</a> /
      </p>
      <div class="heading">
        <h1>
          <Name text={id} />
        </h1>
        <CopyButton text={id} what="the account" />
        {data !== undefined && data.suspension !== null && <StateBadge state="suspended" />}
        {banned > 0 && <Badge tone="warning" text={`${formatKeys(banned)} banned`} />}
        {isUsedUp(data) && <Badge tone="warning" text="limit reached" />}
      </div>
      <Loaded query={details} what="the account">
        {(account: WithHistory<'getAccount'>) => detailsOf(account, range)}
      </Loaded>
    </>
  );
}

function detailsOf(account: WithHistory<'getAccount'>, range: TimeRange) {
  const { account: id, quota, history } = account;
  const denials = findDenials(history);
  return (
    <>
      <WhyRefused
        kind="account"
        name={id}
        quota={quota}
        refusals={refusalsOfAccount(account)}
        denials={denials}
      >
        <Busiest account={account} />
      </WhyRefused>
      <AccountActions account={account} />
      <Limits account={account} />
      <Usage
        quota={quota}
        ledger={history}
        denials={denials}
        range={range}
        file="usage-of-account"
      />
      <BusiestKeys account={account} />
      <section>
        <div class="title">
          <h2>Newest keys</h2>
          {may('createKey') && (
            <a class="button" href={linkTo('new-key', { query: { account: id } })}>
              New key
            </a>
          )}
        </div>
        <KeyTable keys={account.newestKeys.slice(0, maxShownKeys)} hasOneAccount />
        <p>
          <a href={linkTo('keys', { query: { account: id } })}>View all keys of this account</a>
        </p>
      </section>
    </>
  );
}

/** Returns whether one of the limits that the keys of the account share is used up. */
const isUsedUp = (account: AccountDetails | undefined): boolean =>
  Object.values(account?.usage?.windows ?? {}).some(({ remaining }) => remaining === 0);

/**
 * Shows the name of the key that has sent the most requests today, if a limit that the keys of the
 * account share is used up.
 */
function Busiest({ account }: { account: AccountDetails }) {
  const { busiestKeys, requestsToday } = account;
  const [busiest] = busiestKeys;
  if (!isUsedUp(account) || busiest === undefined) return null;
  return (
    <p class="state">
      Most of today's requests come from <KeyLink id={busiest.keyId} name={busiest.name} />:
      {` ${formatShare(busiest.requests / Math.max(requestsToday, 1))}`}. If you did not expect
      this, suspend the key.
    </p>
  );
}

function Limits({ account }: { account: AccountDetails }) {
  const { plan, quota, usage, keys, requestsToday } = account;
  return (
    <section aria-label="Quota">
      <div class="meters">
        {usage === null ? (
          <Figure label="Plan" value="None" note="Each key has its own limits." />
        ) : (
          <QuotaMeters windows={usage.windows} />
        )}
        <Figure
          label="Requests today (UTC)"
          value={formatCount(requestsToday)}
          note={`${formatKeys(keys)}${plan === null || quota === null ? '' : `, plan ${plan}`}`}
        />
      </div>
      {usage?.scope === 'replica' && <SingleReplicaNotice />}
    </section>
  );
}

function BusiestKeys({ account: { busiestKeys, requestsToday } }: { account: AccountDetails }) {
  return (
    <section>
      <h2>Busiest keys today (UTC)</h2>
      <Table
        isWide
        caption="Busiest keys"
        columns={[{ title: 'Key', takesRest: true }, { number: 'Requests' }, { number: 'Share' }]}
        rows={busiestKeys.map(({ keyId, name, requests }: BusyKey) => ({
          key: keyId,
          cells: [
            <KeyLink id={keyId} name={name} />,
            formatCount(requests),
            formatShare(requests / Math.max(requestsToday, 1)),
          ],
        }))}
        empty="No requests today."
      />
    </section>
  );
}
