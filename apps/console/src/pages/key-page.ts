import type { AuditEntry, KeyDetails } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { call } from '../call-admin-api.ts';
import { formatCount } from '../format.ts';
import { AuditTable } from '../parts/audit-table.ts';
import { Badge } from '../parts/badge.ts';
import { KeyActions } from '../parts/key-actions.ts';
import { KeyUsage } from '../parts/key-usage.ts';
import { Loaded } from '../parts/loaded.ts';
import { QuotaMeter } from '../parts/meter.ts';
import { Name } from '../parts/name.ts';
import { StateBadge } from '../parts/state-badge.ts';
import { Table } from '../parts/table.ts';
import { Time } from '../parts/time.ts';
import { usePolling } from '../polling.ts';
import { linkTo } from '../route.ts';
import { may } from '../session.ts';

/** One key: what it uses now, what it has used, and what can be done with it. */
export function KeyPage({ id }: { id: string }) {
  const details = usePolling(`key/${id}`, (signal) => call('getKey', { id, signal }));
  const { data } = details;
  return html`
    <p class="path"><a href=${linkTo('keys')}>Keys</a> /</p>
    <div class="heading">
      <h1>${data === undefined ? 'Key' : html`<${Name} text=${data.name} missing="Key without a name" />`}</h1>
      ${data !== undefined && html`<${StateBadge} state=${data.state} />`}
      ${data?.usage.bannedUntil && html`<${Badge} tone="bad" text="banned" />`}
    </div>
    <${Loaded} of=${details} what="the key">
      ${(key: KeyDetails) => html`
        <${Ban} details=${key} />
        <${KeyActions} details=${key} onChanged=${details.refresh} />
        <${Windows} details=${key} />
        <${KeyUsage} id=${id} quota=${key.quota} />
        <div class="columns">
          <${Facts} details=${key} />
          <${Tokens} details=${key} />
        </div>
        ${may('listAuditEntries') && html`<${Trail} id=${id} />`}
      `}
    <//>
  `;
}

function Ban({ details: { usage } }: { details: KeyDetails }) {
  const { bannedUntil, strikes, strikeThreshold } = usage;
  if (bannedUntil !== null) {
    return html`<p class="state failed">
      <strong>Banned until <${Time} at=${bannedUntil} distance />.</strong> It went on sending requests after
      it was denied. Every request gets a 429 until then.
    </p>`;
  }
  if (strikeThreshold === null || strikes * 2 < strikeThreshold || strikes === 0) return null;
  return html`<p class="state warned">
    <strong>${formatCount(strikes)} strikes</strong>: above ${formatCount(strikeThreshold)} the key is banned.
    It sends requests although it was told to wait.
  </p>`;
}

function Windows({ details: { usage } }: { details: KeyDetails }) {
  const { windows, scope, strikes, strikeThreshold } = usage;
  return html`<section aria-label="Quota">
    <div class="meters">
      <${QuotaMeter} label="This minute" window=${windows.minute} />
      <${QuotaMeter} label="This day" window=${windows.day} />
      <div class="meter">
        <h2 class="label">Strikes</h2>
        <p class="figure"><strong>${formatCount(strikes)}</strong></p>
        <p class="muted">
          ${
            strikeThreshold === null
              ? 'Bans are off.'
              : `Requests that did not wait after a 429. Above ${formatCount(strikeThreshold)} the key is banned.`
          }
        </p>
      </div>
    </div>
    ${
      scope === 'replica' &&
      html`<p class="state warned">
        Redis does not answer, so these are the counts of one replica, against its share of each limit.
        Another replica has others.
      </p>`
    }
  </section>`;
}

function Facts({ details: key }: { details: KeyDetails }) {
  return html`<section>
    <h2>Facts</h2>
    <dl class="facts">
      <dt>Id</dt>
      <dd><code>${key.id}</code></dd>
      <dt>Account</dt>
      <dd><${Name} text=${key.account} missing="none" /></dd>
      <dt>Plan</dt>
      <dd>${key.plan}</dd>
      <dt>Limits</dt>
      <dd>${formatCount(key.quota.perMinute)} a minute, ${formatCount(key.quota.perDay)} a day</dd>
      <dt>Last use</dt>
      <dd>
        ${key.lastUsedAt === null ? 'never' : html`<${Time} at=${key.lastUsedAt} minutes distance />`}
      </dd>
      <dt>Created</dt>
      <dd><${Time} at=${key.createdAt} /></dd>
      <dt>Expires</dt>
      <dd>${key.expiresAt === null ? 'never' : html`<${Time} at=${key.expiresAt} distance />`}</dd>
      ${
        key.revokedAt !== null &&
        html`<dt>Revoked</dt>
          <dd><${Time} at=${key.revokedAt} /></dd>`
      }
    </dl>
  </section>`;
}

/** What was done with the key, and its bans. */
function Trail({ id }: { id: string }) {
  const entries = usePolling(`audit of ${id}`, (signal) =>
    call('listAuditEntries', { query: { keyId: id, limit: '20' }, signal }),
  );
  return html`<section>
    <h2>Audit trail and bans</h2>
    <${Loaded} of=${entries} what="the audit trail">
      ${(list: AuditEntry[]) =>
        list.length === 0
          ? html`<p class="muted">Nothing is recorded.</p>`
          : html`<${AuditTable} entries=${list} ofOneKey />`}
    <//>
    <p><a href=${linkTo('audit', { query: { keyId: id } })}>All of it, in the audit log</a></p>
  </section>`;
}

function Tokens({ details: { tokens, state } }: { details: KeyDetails }) {
  return html`<section>
    <h2>Tokens</h2>
    ${
      tokens.length === 0
        ? html`<p class="muted">None is valid any more.</p>`
        : html`<${Table}
            isWide
            caption="Tokens"
            columns=${['Begins with', 'Created', 'Expires']}
            rows=${tokens.map(({ prefix, createdAt, expiresAt }) => ({
              key: prefix + createdAt,
              cells: [
                html`<code>${prefix}</code>`,
                html`<${Time} at=${createdAt} />`,
                expiresAt === null ? 'with the key' : html`<${Time} at=${expiresAt} distance />`,
              ],
            }))}
          />`
    }
    ${state !== 'active' && html`<p class="muted">The key is ${state}, so no token opens anything.</p>`}
  </section>`;
}
