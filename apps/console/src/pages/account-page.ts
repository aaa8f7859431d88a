import type { AccountDetails, BusyKey } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { call } from '../call-admin-api.ts';
import { formatCount, formatKeys, formatShare } from '../format.ts';
import { useHistory, type WithHistory } from '../history-polling.ts';
import { AccountActions } from '../parts/account-actions.ts';
import { Badge } from '../parts/badge.ts';
import { CopyButton } from '../parts/copy-button.ts';
import { usageCsv } from '../parts/csv-button.ts';
import { Figure } from '../parts/figure.ts';
import { KeyLink } from '../parts/key-link.ts';
import { KeyTable } from '../parts/key-table.ts';
import { Loaded } from '../parts/loaded.ts';
import { QuotaMeter } from '../parts/meter.ts';
import { Name } from '../parts/name.ts';
import { StateBadge } from '../parts/state-badge.ts';
import { Table } from '../parts/table.ts';
import { Usage } from '../parts/usage-section.ts';
import { WhyRefused } from '../parts/why-refused.ts';
import { findDenials, refusalsOfAccount } from '../refusals.ts';
import { linkTo, route } from '../route.ts';
import { may } from '../session.ts';
import { readTimeRange, type TimeRange } from '../time-range.ts';

/** One account: its limits, what its keys use of them together, and which of them does. */
export function AccountPage({ id }: { id: string }) {
  const range = readTimeRange(route.value.query);
  const details = useHistory(`account/${id}`, range, (query, signal) =>
    call('getAccount', { id, query, signal }),
  );
  const { data } = details;
  const banned = data?.bannedKeys ?? 0;
  return html`
    <p class="path"><a href=${linkTo('accounts')}>Accounts</a> /</p>
    <div class="heading">
      <h1><${Name} text=${id} /></h1>
      <${CopyButton} text=${id} what="the account" />
      ${data !== undefined && data.suspension !== null && html`<${StateBadge} state="suspended" />`}
      ${banned > 0 && html`<${Badge} tone="warning" text=${`${formatKeys(banned)} banned`} />`}
      ${Object.values(data?.usage?.windows ?? {}).some(({ remaining }) => remaining === 0) && html`<${Badge} tone="warning" text="limit used up" />`}
    </div>
    <${Loaded} of=${details} what="the account">
      ${(account: WithHistory<AccountDetails>) => html`
        <${Details} account=${account} range=${range} refresh=${details.refresh} />
      `}
    <//>
  `;
}

function Details({
  account,
  range,
  refresh,
}: {
  account: WithHistory<AccountDetails>;
  range: TimeRange;
  refresh: () => void;
}) {
  const { account: id, quota, history } = account;
  const denials = findDenials(history);
  return html`
    <${WhyRefused}
      kind="account"
      name=${id}
      quota=${quota}
      refusals=${refusalsOfAccount(account)}
      denials=${denials}
    ><${Busiest} account=${account} /><//>
    <${AccountActions} account=${account} onChanged=${refresh} />
    <${Limits} account=${account} />
    <${Usage}
      quota=${quota}
      ledger=${history}
      denials=${denials}
      range=${range}
      csv=${usageCsv('usage-of-account', history)}
    />
    <${BusiestKeys} account=${account} />
    <section>
      <div class="title">
        <h2>Newest keys</h2>
        ${
          may('createKey') &&
          html`<a class="button" href=${linkTo('new-key', { query: { account: id } })}>New key</a>`
        }
      </div>
      <${KeyTable} keys=${account.newestKeys} ofOneAccount />
      <p><a href=${linkTo('keys', { query: { account: id } })}>All keys of the account</a></p>
    </section>
  `;
}

/** Which key uses up what all share. */
function Busiest({ account: { usage, busiestKeys, requestsToday } }: { account: AccountDetails }) {
  const [busiest] = busiestKeys;
  const isFull = Object.values(usage?.windows ?? {}).some(({ remaining }) => remaining === 0);
  if (!isFull || busiest === undefined) return null;
  return html`<p class="state">
    Most of today's requests come from <${KeyLink} id=${busiest.keyId} name=${busiest.name} />:
    ${` ${formatShare(busiest.requests / Math.max(requestsToday, 1))}`}. If that is wrong, suspend that key.
  </p>`;
}

function Limits({
  account: { plan, quota, usage, keys, requestsToday },
}: {
  account: AccountDetails;
}) {
  return html`<section aria-label="Quota">
    <div class="meters">
      ${
        usage === null
          ? html`<${Figure} label="Plan" value="none" note="The account is a label: each of its keys has its own limits." />`
          : html`
              <${QuotaMeter} label="This minute" window=${usage.windows.minute} />
              <${QuotaMeter} label="This day" window=${usage.windows.day} />
            `
      }
      <${Figure}
        label="Requests today (UTC)"
        value=${formatCount(requestsToday)}
        note=${`${formatKeys(keys)}${plan === null || quota === null ? '' : `, plan ${plan}`}`}
      />
    </div>
    ${
      usage?.scope === 'replica' &&
      html`<p class="state warned">
        Redis does not answer, so these are the counts of one replica, against its share of each limit.
      </p>`
    }
  </section>`;
}

function BusiestKeys({ account: { busiestKeys, requestsToday } }: { account: AccountDetails }) {
  return html`<section>
    <h2>Busiest keys today (UTC)</h2>
    <${Table}
      isWide
      caption="Busiest keys"
      columns=${[{ title: 'Key', takesRest: true }, { number: 'Requests' }, { number: 'Share' }]}
      rows=${busiestKeys.map(({ keyId, name, requests }: BusyKey) => ({
        key: keyId,
        cells: [
          html`<${KeyLink} id=${keyId} name=${name} />`,
          formatCount(requests),
          formatShare(requests / Math.max(requestsToday, 1)),
        ],
      }))}
      empty="No key of the account has made a request today."
    />
  </section>`;
}
