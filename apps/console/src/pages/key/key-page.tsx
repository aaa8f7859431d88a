import type { AuditEntry } from '@animal-store/admin-contract';
import { linkTo } from '../../address.ts';
import { may } from '../../api/session.ts';
import { useAdminWithHistory, type WithHistory } from '../../api/use-admin.ts';
import { AuditTable } from '../../components/audit-table.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Name } from '../../components/name.tsx';
import { Usage } from '../../components/plot/usage-section.tsx';
import { findDenials, refusalsOfKey } from '../../components/refusals/refusals.ts';
import { WhyRefused } from '../../components/refusals/why-refused.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { type TimeRange, useTimeRange } from '../../components/time/time-range.ts';
import { KeyActions } from './key-actions.tsx';
import { Facts } from './key-facts.tsx';
import { Strikes, Windows } from './key-quota.tsx';
import { Tokens } from './key-tokens.tsx';

/** The page of one key: its current usage, its history, and the buttons to change it. */
export function KeyPage({ id }: { id: string }) {
  const range = useTimeRange();
  const details = useAdminWithHistory('getKey', { id }, range);
  const { data } = details;
  return (
    <>
      <p class="path">
        <a href={linkTo('keys')}>Keys</a> /
      </p>
      <div class="heading">
        <h1>{data === undefined ? 'Key' : <Name text={data.name} missing="Unnamed key" />}</h1>
        {data !== undefined && (
          <StateBadge
            state={data.state}
            isBanned={data.usage.bannedUntil !== null}
            isAccountSuspended={data.suspension === null}
          />
        )}
      </div>
      <Loaded query={details} what="the key">
        {(key: WithHistory<'getKey'>) => detailsOf(key, range)}
      </Loaded>
    </>
  );
}

function detailsOf(key: WithHistory<'getKey'>, range: TimeRange) {
  const { id, history } = key;
  const denials = findDenials(history);
  const { quota } = key.inForce;
  return (
    <>
      <WhyRefused
        kind="key"
        name={key.name ?? id}
        account={key.account}
        quota={quota}
        refusals={refusalsOfKey(key)}
        denials={denials}
      >
        <Strikes details={key} />
      </WhyRefused>
      <KeyActions details={key} />
      <Windows details={key} />
      <Usage
        quota={quota}
        ledger={history}
        denials={denials}
        range={range}
        file={`usage-of-${id}`}
      />
      <div class="columns">
        <Facts details={key} />
        <Tokens details={key} />
      </div>
      {may('listAuditEntries') && <AuditTrail id={id} entries={history.audit} />}
    </>
  );
}

/** Lists the changes and the bans of the key from the audit log. */
function AuditTrail({ id, entries }: { id: string; entries: readonly AuditEntry[] }) {
  return (
    <section>
      <h2>Activity</h2>
      <AuditTable entries={entries} hasOneSubject />
      <p>
        <a href={linkTo('audit', { query: { keyId: id } })}>View all in the audit log</a>
      </p>
    </section>
  );
}
