import type { UsageBucket } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { type Answer, call } from '../call-admin-api.ts';
import { formatCount } from '../format.ts';
import { usePolling } from '../polling.ts';
import { route, setQuery } from '../route.ts';
import { countByOutcome, deprecatedOperations, sumOf, toBuckets } from '../usage.ts';
import { Badge } from './badge.ts';
import { Loaded } from './loaded.ts';
import { OutcomeTable } from './outcome-table.ts';
import { UsagePlot } from './plot.ts';
import { Table } from './table.ts';

interface Quota {
  readonly perMinute: number;
  readonly perDay: number;
}

interface Range {
  readonly label: string;
  readonly bucket: UsageBucket;
  readonly bucketSeconds: number;
  readonly each: string;
  readonly limit: (quota: Quota) => { label: string; requests: number };
}

/** The spans of time that can be shown. A line shows the most that the plan admits in a bucket. */
const ranges: Readonly<Record<string, Range>> = {
  hour: {
    label: 'An hour',
    bucket: 'minute',
    bucketSeconds: 60,
    each: 'minute',
    limit: ({ perMinute }) => ({ label: 'Limit a minute', requests: perMinute }),
  },
  day: {
    label: 'A day',
    bucket: 'hour',
    bucketSeconds: 3_600,
    each: 'hour',
    limit: ({ perMinute, perDay }) => ({
      label: 'Most in an hour',
      requests: Math.min(perMinute * 60, perDay),
    }),
  },
  month: {
    label: '30 days',
    bucket: 'day',
    bucketSeconds: 86_400,
    each: 'day',
    limit: ({ perDay }) => ({ label: 'Limit a day', requests: perDay }),
  },
};

/** What a key has used: over time by outcome, and by operation. */
export function KeyUsage({ id, quota }: { id: string; quota: Quota }) {
  const name = route.value.query['range'] ?? 'hour';
  const range = ranges[name] ?? ranges['hour'];
  if (range === undefined) throw new Error('There is no range of an hour.');
  const usage = usePolling(`usage/${id}/${range.bucket}`, (signal) =>
    call('getKeyUsage', { id, query: { bucket: range.bucket }, signal }),
  );
  return html`<section>
    <div class="title">
      <h2>Usage</h2>
      <fieldset class="choice">
        <legend class="hidden">Span of time</legend>
        ${Object.entries(ranges).map(
          ([value, { label }]) => html`<label>
            <input
              type="radio"
              name="range"
              value=${value}
              checked=${ranges[value] === range}
              onChange=${() => setQuery({ range: value })}
            /><span>${label}</span>
          </label>`,
        )}
      </fieldset>
    </div>
    <${Loaded} of=${usage} what="the usage">
      ${(ledger: Answer<'getKeyUsage'>) => html`
        <${UsagePlot}
          title=${`Requests by ${range.each}`}
          buckets=${toBuckets(ledger, range.bucketSeconds)}
          limit=${range.limit(quota)}
        />
        <div class="columns">
          <${OutcomeTable} counts=${countByOutcome(ledger.rows)} caption="By outcome" />
          <${OperationTable} rows=${ledger.rows} />
        </div>
      `}
    <//>
  </section>`;
}

function OperationTable({ rows }: { rows: Answer<'getKeyUsage'>['rows'] }) {
  const byOperation = Map.groupBy(rows, ({ operation }) => operation);
  const totals = [...byOperation]
    .map(([operation, own]) => ({ operation, requests: sumOf(countByOutcome(own)) }))
    .sort((one, other) => other.requests - one.requests);
  return html`<${Table}
    caption="By operation"
    columns=${['Operation', { number: 'Requests' }]}
    rows=${totals.map(({ operation, requests }) => ({
      key: operation,
      cells: [
        html`${operation === 'none' ? 'other paths' : html`<code>${operation}</code>`}
        ${
          deprecatedOperations.includes(operation) &&
          html` <${Badge} tone="warning" text="deprecated" />`
        }`,
        formatCount(requests),
      ],
    }))}
    empty="No requests."
  />`;
}
