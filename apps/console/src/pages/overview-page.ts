import type { BusyKey, Overview } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { type Answer, call } from '../call-admin-api.ts';
import { formatCount, formatMs, formatRate, formatShare } from '../format.ts';
import { Badge } from '../parts/badge.ts';
import { Figure } from '../parts/figure.ts';
import { KeyLink } from '../parts/key-link.ts';
import { Loaded } from '../parts/loaded.ts';
import { OutcomeTable } from '../parts/outcome-table.ts';
import { UsagePlot } from '../parts/plot.ts';
import { Table } from '../parts/table.ts';
import { Time } from '../parts/time.ts';
import { usePolling } from '../polling.ts';
import { readHealth } from '../read-health.ts';
import { linkTo } from '../route.ts';
import { sumOf, toBuckets } from '../usage.ts';

/** How the service is doing. */
export function OverviewPage() {
  const overview = usePolling('overview', (signal) => call('getOverview', { signal }));
  const usage = usePolling('usage', (signal) =>
    call('getUsage', { query: { bucket: 'minute' }, signal }),
  );
  const busiest = usePolling('busiest', (signal) =>
    call('getUsage', { query: { groupBy: 'key', limit: '10' }, signal }),
  );
  return html`
    <h1>Overview</h1>
    <${Health} stores=${overview.data?.stores} />
    <${Loaded} of=${overview} what="the figures">
      ${(data: Overview) => html`<${Figures} overview=${data} />`}
    <//>
    <${Loaded} of=${usage} what="the usage">
      ${(ledger: Answer<'getUsage'>) => html`<${UsagePlot}
        title="Requests by minute, all keys"
        buckets=${toBuckets(ledger, 60)}
      />`}
    <//>
    <div class="columns">
      <${Loaded} of=${busiest} what="the busiest keys">
        ${({ keys = [] }: Answer<'getUsage'>) => html`<${TopCallers} keys=${keys} />`}
      <//>
      ${overview.data && html`<${LastMinute} overview=${overview.data} />`}
      ${overview.data && html`<${Bans} bans=${overview.data.bans} />`}
    </div>
  `;
}

/** Whether the stores answer. It needs no session, so it shows also while the database is away. */
function Health({ stores }: { stores: Overview['stores'] | undefined }) {
  const health = usePolling('health', readHealth);
  const reasons = health.data?.reasons ?? [];
  const isDown = (pattern: RegExp) => reasons.some((reason) => pattern.test(reason));
  const database = stores?.database === 'embedded' ? 'Embedded database' : 'Postgres';
  return html`<section aria-label="State">
    <ul class="parts">
      <li><${State} name=${database} isUnknown=${health.data === undefined} isDown=${isDown(/database/i)} /></li>
      ${
        stores?.quotas !== 'in-process' &&
        html`<li><${State} name="Redis" isUnknown=${health.data === undefined} isDown=${isDown(/redis/i)} /></li>`
      }
      ${stores?.quotas === 'in-process' && html`<li><span class="muted">Quotas are counted in the process.</span></li>`}
    </ul>
    ${reasons.map((reason) => html`<p class="state failed">${reason}</p>`)}
  </section>`;
}

function State({ name, isUnknown, isDown }: { name: string; isUnknown: boolean; isDown: boolean }) {
  if (isUnknown) return html`${name}: <${Badge} tone="neutral" text="unknown" />`;
  return html`${name}: <${Badge} tone=${isDown ? 'bad' : 'good'} text=${isDown ? 'does not answer' : 'answers'} />`;
}

function Figures({ overview: { traffic, keys, replicas } }: { overview: Overview }) {
  const { requests, seconds } = traffic;
  const total = sumOf(requests);
  const share = total === 0 ? 0 : requests.server_error / total;
  const latency = (ms: number | null) => (ms === null ? '–' : formatMs(ms));
  return html`<section aria-label="Figures">
    <div class="figures">
      <${Figure} label="Requests a second" value=${formatRate(seconds === 0 ? 0 : total / seconds)}
        note=${`${formatCount(total)} in ${formatCount(seconds)} s`} />
      <${Figure} label="Server errors" value=${formatShare(share)} tone=${share > 0 ? 'bad' : undefined}
        note=${`${formatCount(requests.server_error)} requests`} />
      <${Figure} label="Denied or banned" value=${formatShare(total === 0 ? 0 : (requests.denied + requests.banned) / total)}
        note=${`${formatCount(requests.denied + requests.banned)} requests`} />
      <${Figure} label="Latency p50" value=${latency(traffic.p50Ms)} note="half are faster" />
      <${Figure} label="Latency p99" value=${latency(traffic.p99Ms)} note="99 of 100 are faster" />
      <${Figure} label="Active keys" value=${formatCount(keys.active)}
        note=${html`<a href=${linkTo('keys', { query: { state: 'active' } })}>Show them</a>`} />
      <${Figure} label="Banned keys" value=${formatCount(keys.banned)} tone=${keys.banned > 0 ? 'warning' : undefined}
        note=${html`<a href=${linkTo('audit', { query: { action: 'ban.started' } })}>Latest bans</a>`} />
      <${Figure} label="Replicas" value=${formatCount(replicas.count)}
        note=${replicas.reporting < replicas.count ? `${formatCount(replicas.reporting)} report` : 'all report'} />
    </div>
  </section>`;
}

function LastMinute({ overview: { traffic } }: { overview: Overview }) {
  return html`<${OutcomeTable}
    counts=${traffic.requests}
    caption=${`The last ${formatCount(traffic.seconds)} seconds by outcome`}
  />`;
}

function TopCallers({ keys }: { keys: readonly BusyKey[] }) {
  return html`<${Table}
    caption="Busiest keys today (UTC)"
    columns=${['Key', 'Plan', { number: 'Requests' }]}
    rows=${keys.map(({ keyId, name, plan, requests }) => ({
      key: keyId,
      cells: [html`<${KeyLink} id=${keyId} name=${name} />`, plan, formatCount(requests)],
    }))}
    empty="No key has made a request today."
  />`;
}

function Bans({ bans }: { bans: Overview['bans'] }) {
  return html`<${Table}
    caption="Banned now"
    columns=${['Key', 'Until']}
    rows=${bans.map(({ keyId, name, until }) => ({
      key: keyId,
      cells: [
        html`<${KeyLink} id=${keyId} name=${name} />`,
        html`<${Time} at=${until} distance />`,
      ],
    }))}
    empty="No key is banned."
  />`;
}
