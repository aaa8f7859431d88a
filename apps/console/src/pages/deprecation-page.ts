import type { ListedKey } from '@animal-store/contract/admin';
import { deprecations } from '@animal-store/contract/deprecations';
import { html } from 'htm/preact';
import { type Answer, call, callForPage } from '../call-admin-api.ts';
import { formatCount, formatDistance } from '../format.ts';
import { Badge } from '../parts/badge.ts';
import { Figure } from '../parts/figure.ts';
import { KeyLink } from '../parts/key-link.ts';
import { Loaded } from '../parts/loaded.ts';
import { Name } from '../parts/name.ts';
import { Pager } from '../parts/pager.ts';
import { UsagePlot } from '../parts/plot.ts';
import { QuerySelect } from '../parts/query-fields.ts';
import { Table } from '../parts/table.ts';
import { OptionalTime, Time } from '../parts/time.ts';
import { usePolling } from '../polling.ts';
import { route } from '../route.ts';
import { deprecatedOperations, toBuckets } from '../usage.ts';

const pageSize = '25';

const { sunsetAt: sunset } = deprecations.getPet;

const periods = [
  ['1', 'a day'],
  ['7', '7 days'],
  ['90', '90 days'],
] as const;

/** Who still calls what will be switched off, and how often. */
export function DeprecationPage() {
  const { cursor, days = '30' } = route.value.query;
  const keys = usePolling(`deprecated?${days}&${cursor}`, (signal) =>
    callForPage('listKeys', {
      query: {
        deprecatedWithinDays: days,
        include: 'recent',
        limit: pageSize,
        ...(cursor && { cursor }),
      },
      signal,
    }),
  );
  const usage = usePolling('usage by day', (signal) =>
    call('getUsage', { query: { bucket: 'day' }, signal }),
  );
  const seconds = (sunset.getTime() - Date.now()) / 1_000;

  return html`
    <h1>Deprecation</h1>
    <div class="figures">
      <${Figure} label="Operation" value="getPet" note=${html`<code>GET /v1/pets/{petId}</code>`} />
      <${Figure}
        label="Switched off"
        value=${formatDistance(sunset)}
        tone=${seconds < 90 * 86_400 ? 'warning' : undefined}
        note=${html`<${Time} at=${sunset.toISOString()} minutes />`}
      />
    </div>
    <${Loaded} of=${usage} what="the usage">
      ${(ledger: Answer<'getUsage'>) => html`<${UsagePlot}
        title="Calls of getPet by day, 30 days, all keys"
        buckets=${toBuckets({ ...ledger, rows: deprecatedRows(ledger) }, 86_400)}
      />`}
    <//>
    <section>
      <h2>Keys that still call it</h2>
      <form class="filters" aria-label="Period" onSubmit=${(event: Event) => event.preventDefault()}>
        <${QuerySelect} name="days" label="Called it within" options=${periods} all="30 days" />
      </form>
      <${Loaded} of=${keys} what="the keys">
        ${({ body, nextCursor }: { body: ListedKey[]; nextCursor: string | undefined }) => html`
          ${
            body.length === 0
              ? html`<p class="state">
                  <${Badge} tone="good" text="Nobody" /> called a deprecated operation in this time.
                </p>`
              : html`<${CallerTable} keys=${body} />`
          }
          <${Pager} nextCursor=${nextCursor} />
        `}
      <//>
    </section>
  `;
}

const deprecatedRows = <Row extends { operation: string }>({ rows }: { rows: readonly Row[] }) =>
  rows.filter(({ operation }) => deprecatedOperations.includes(operation));

function CallerTable({ keys }: { keys: readonly ListedKey[] }) {
  return html`<${Table}
    isWide
    caption="Callers"
    columns=${['Key', 'Account', 'Plan', { number: 'Calls in 30 days' }, 'Last use of the key']}
    rows=${keys.map(({ id, name, account, plan, lastUsedAt, recent }) => ({
      key: id,
      cells: [
        html`<${KeyLink} id=${id} name=${name} range="month" />`,
        html`<${Name} text=${account} missing="–" />`,
        plan,
        formatCount(recent?.deprecatedCalls ?? 0),
        html`<${OptionalTime} at=${lastUsedAt} />`,
      ],
    }))}
  />`;
}
