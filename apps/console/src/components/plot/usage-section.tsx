import type { KeyDetails, UsageBucket } from '@animal-store/admin-contract';
import { Badge } from '../badge.tsx';
import type { Denials } from '../refusals/refusals.ts';
import { Table } from '../table/table.tsx';
import { formatCount } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { bucketLabels, hasSmaller, linkToSpan, type TimeRange } from '../time/time-range.ts';
import { TimeRangeControl } from '../time/time-range-control.tsx';
import { OutcomeTable } from './outcome-table.tsx';
import { UsagePlot } from './plot.tsx';
import type { Limit } from './plot-legend.tsx';
import { bucketMs, countByOutcome, deprecatedOperations, type Ledger, sumOf } from './usage.ts';

type Quota = KeyDetails['quota'];

/**
 * For each bucket length, the largest number of requests that the plan admits in one bucket. The
 * plot shows it as a line.
 */
const limits: Readonly<Record<UsageBucket, (quota: Quota) => Limit>> = {
  minute: ({ perMinute }) => ({ label: 'Limit per minute', requests: perMinute }),
  hour: ({ perMinute, perDay }) => ({
    label: 'Maximum per hour',
    requests: Math.min(perMinute * 60, perDay),
  }),
  day: ({ perDay }) => ({ label: 'Limit per day', requests: perDay }),
};

/**
 * Shows the usage of a key or an account: a plot by outcome, the denied requests, and a table by
 * operation.
 */
export function Usage({
  quota,
  ledger,
  denials,
  range,
  file,
}: {
  /**
   * The limits that apply. The value is `null` for an account without a plan, because each of its
   * keys has its own limits.
   */
  quota: Quota | null;
  ledger: Ledger;
  denials: Denials;
  range: TimeRange;
  /** The first part of the CSV file's name. The period follows it. */
  file: string;
}) {
  const { bucket, rows } = ledger;
  return (
    <section>
      <h2>Usage</h2>
      <TimeRangeControl range={range} />
      <UsagePlot
        what="Requests"
        ledger={ledger}
        limit={quota === null ? undefined : limits[bucket](quota)}
        file={file}
      />
      <div class="columns">
        <DenialTable denials={denials} bucket={bucket} />
        <OutcomeTable counts={countByOutcome(rows)} caption="By outcome" />
        <OperationTable rows={rows} />
      </div>
    </section>
  );
}

/**
 * Lists the buckets with denied requests (429), the latest first. A bucket of an hour or a day
 * links to a plot of smaller buckets.
 */
function DenialTable({ denials: { buckets }, bucket }: { denials: Denials; bucket: UsageBucket }) {
  const lengthMs = bucketMs[bucket];
  const when = (at: Date) => {
    const time = <Time at={at.toISOString()} hidesSeconds />;
    const from = at.getTime();
    return hasSmaller(bucket, from) ? (
      <a href={linkToSpan({ from, to: from + lengthMs })}>{time}</a>
    ) : (
      time
    );
  };
  return (
    <Table
      hasOwnScroll
      caption={`Denied requests by ${bucketLabels[bucket]}`}
      columns={['Start', { number: 'Denied' }, { number: 'Banned' }]}
      rows={buckets.toReversed().map(({ at, counts }) => ({
        key: at.toISOString(),
        cells: [when(at), formatCount(counts.denied), formatCount(counts.banned)],
      }))}
      empty="No requests were denied."
    />
  );
}

function OperationTable({ rows }: { rows: Ledger['rows'] }) {
  const byOperation = Map.groupBy(rows, ({ operation }) => operation);
  const totals = [...byOperation]
    .map(([operation, own]) => ({ operation, requests: sumOf(countByOutcome(own)) }))
    .sort((one, other) => other.requests - one.requests);
  return (
    <Table
      caption="By operation"
      columns={['Operation', { number: 'Requests' }]}
      rows={totals.map(({ operation, requests }) => ({
        key: operation,
        cells: [
          <>
            {operation === 'none' ? 'other paths' : <code>{operation}</code>}
            {deprecatedOperations.includes(operation) && (
              <>
                {' '}
                <Badge tone="warning" text="deprecated" />
              </>
            )}
          </>,
          formatCount(requests),
        ],
      }))}
      empty="No requests."
    />
  );
}
