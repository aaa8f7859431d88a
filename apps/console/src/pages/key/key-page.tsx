import type { AuditEntry, KeyDetails } from '@animal-store/admin-contract';
import { linkTo } from '../../address.ts';
import { may } from '../../api/session.ts';
import { useAdminWithHistory, type WithHistory } from '../../api/use-admin.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { AuditTable } from '../../components/audit-table.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { planTitle } from '../../components/form/plan-fields.tsx';
import { scopesLabel } from '../../components/form/scope-field.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { QuotaMeters, SingleReplicaNotice } from '../../components/meter.tsx';
import { Name } from '../../components/name.tsx';
import { Usage } from '../../components/plot/usage-section.tsx';
import { findDenials, refusalsOfKey } from '../../components/refusals/refusals.ts';
import { WhyRefused } from '../../components/refusals/why-refused.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { Table } from '../../components/table/table.tsx';
import { formatCount } from '../../components/time/format.ts';
import { CellTime, Time } from '../../components/time/time.tsx';
import { type TimeRange, useTimeRange } from '../../components/time/time-range.ts';
import { KeyActions } from './key-actions.tsx';

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

/**
 * Warns that the key will be banned if its callers continue to ignore responses with 429. The
 * warning appears when the key has half of the strikes that are allowed before a ban.
 */
function Strikes({ details: { usage } }: { details: KeyDetails }) {
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

function Windows({ details: { account, usage } }: { details: KeyDetails }) {
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

function Facts({ details: key }: { details: KeyDetails }) {
  const { subject, plan, quota } = key.inForce;
  const isShared = subject === 'account';
  return (
    <section>
      <h2>Details</h2>
      <dl class="facts">
        <dt>ID</dt>
        <dd>
          <code>{key.id}</code> <CopyButton text={key.id} what="the ID" />
        </dd>
        <dt>Account</dt>
        <dd>
          {key.account === null ? (
            <Name text={null} missing="none" />
          ) : (
            <AccountLink account={key.account} />
          )}
          {key.account !== null && (
            <>
              {' '}
              <CopyButton text={key.account} what="the account" />
            </>
          )}
        </dd>
        <dt>Plan</dt>
        <dd>
          {isShared ? (
            <>
              {planTitle(plan)} (from its account
              <span class="muted">; own plan: {planTitle(key.plan)}</span>)
            </>
          ) : (
            planTitle(plan)
          )}
        </dd>
        <dt>Limits</dt>
        <dd>
          {formatCount(quota.perMinute)} a minute, {formatCount(quota.perDay)} a day
          {isShared ? ', shared with all keys of the account' : ''}
        </dd>
        <dt>Permissions</dt>
        <dd>{scopesLabel(key.scopes)}</dd>
        <dt>Last used</dt>
        <dd>
          {key.lastUsedAt === null ? (
            'never'
          ) : (
            <Time at={key.lastUsedAt} hidesSeconds hasDistance hasUtc />
          )}
        </dd>
        {(key.lastRefusedAt !== null || key.state !== 'active') && (
          <>
            <dt>Last refused request</dt>
            <dd>
              {key.lastRefusedAt === null ? (
                'none'
              ) : (
                <Time at={key.lastRefusedAt} hidesSeconds hasDistance hasUtc />
              )}
            </dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Time at={key.createdAt} hasUtc />
        </dd>
        <dt>Expires</dt>
        <dd>{key.expiresAt === null ? 'never' : <Time at={key.expiresAt} hasDistance hasUtc />}</dd>
        {key.suspension !== null && (
          <>
            <dt>Suspended</dt>
            <dd>
              <Time at={key.suspension.at} hasUtc />
            </dd>
          </>
        )}
        {key.revokedAt !== null && (
          <>
            <dt>Revoked</dt>
            <dd>
              <Time at={key.revokedAt} hasUtc />
            </dd>
          </>
        )}
      </dl>
    </section>
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

function Tokens({ details: { tokens, state } }: { details: KeyDetails }) {
  return (
    <section>
      <h2>Tokens</h2>
      <Table
        isWide
        caption="Tokens"
        columns={['Prefix', 'Created', 'Expires']}
        rows={tokens.map(({ prefix, createdAt, expiresAt }) => ({
          key: prefix + createdAt,
          cells: [
            <>
              <code>{prefix}</code> <CopyButton text={prefix} what="the token prefix" />
            </>,
            <CellTime at={createdAt} />,
            expiresAt === null ? 'with the key' : <CellTime at={expiresAt} />,
          ],
        }))}
        empty="No valid tokens."
      />
      {state !== 'active' && <p class="muted">The key is {state}, so its tokens are rejected.</p>}
    </section>
  );
}
