import type { KeyDetails } from '@animal-store/admin-contract';
import { AccountLink } from '../../components/account-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { planTitle } from '../../components/form/plan-fields.tsx';
import { scopesLabel } from '../../components/form/scope-field.tsx';
import { Name } from '../../components/name.tsx';
import { formatCount } from '../../components/time/format.ts';
import { Time } from '../../components/time/time.tsx';

/** Lists the properties of the key. */
export function Facts({ details: key }: { details: KeyDetails }) {
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
