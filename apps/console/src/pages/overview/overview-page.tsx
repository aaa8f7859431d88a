import type { DeniedCaller, Overview } from '@animal-store/admin-contract';
import { useQuery } from '@tanstack/preact-query';
import { linkTo } from '../../address.ts';
import { ConnectionFailure, RefusedRequest } from '../../api/failures.ts';
import { pollMs, useAdminWithHistory, type WithHistory } from '../../api/use-admin.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { Badge } from '../../components/badge.tsx';
import { Figure } from '../../components/figure.tsx';
import { KeyLink } from '../../components/key-link.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { OutcomeTable } from '../../components/plot/outcome-table.tsx';
import { UsagePlot } from '../../components/plot/plot.tsx';
import { Sparkline } from '../../components/plot/sparkline.tsx';
import { type Bucket, bucketMs, sumOf, toBuckets } from '../../components/plot/usage.ts';
import { busyKeyColumns, toCsv } from '../../components/table/csv.ts';
import { CsvButton, csvName } from '../../components/table/csv-button.tsx';
import { Table } from '../../components/table/table.tsx';
import {
  formatCount,
  formatMs,
  formatRate,
  formatRequests,
  formatShare,
} from '../../components/time/format.ts';
import { CellTime } from '../../components/time/time.tsx';
import { useTimeRange } from '../../components/time/time-range.ts';
import { TimeRangeControl } from '../../components/time/time-range-control.tsx';

/** The start page: the state and the usage of the whole service. */
export function OverviewPage() {
  const range = useTimeRange();
  const overview = useAdminWithHistory('getOverview', {}, range);
  // The service cannot return the overview without its database. In this case, the page fetches the
  // readiness of the service and shows its reasons.
  const isRefused = overview.error instanceof RefusedRequest;
  const outage = useQuery({
    queryKey: ['readyz'],
    queryFn: readHealth,
    enabled: isRefused,
    refetchInterval: pollMs,
  });
  const { data } = overview;
  return (
    <>
      <h1>Overview</h1>
      <Health
        health={(isRefused ? outage.data : undefined) ?? data?.readiness}
        stores={data?.stores}
      />
      <Loaded query={overview} what="the figures">
        {(shown: WithHistory<'getOverview'>) => (
          <>
            <Problems overview={shown} />
            <Figures overview={shown} />
            <section aria-label="Traffic">
              <TimeRangeControl range={range} />
              <UsagePlot what="Requests" ledger={shown.history} countsAllKeys />
            </section>
            <Lists overview={shown} isToday={range.name === 'hour'} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** The readiness of the service. */
type Health = Overview['readiness'];

/**
 * Fetches the readiness of the service. The request needs no session, and it works while the
 * database is down.
 */
async function readHealth({ signal }: { signal: AbortSignal }): Promise<Health> {
  try {
    const response = await fetch('/readyz', { signal });
    return await response.json();
  } catch (cause) {
    signal.throwIfAborted();
    throw new ConnectionFailure({ cause });
  }
}

/** Shows whether the database and Redis respond, or are not configured. */
function Health({
  health,
  stores,
}: {
  health: Health | undefined;
  stores: Overview['stores'] | undefined;
}) {
  const reasons = health?.reasons ?? [];
  const badge = (pattern: RegExp) => {
    if (health === undefined) return <Badge tone="neutral" text="unknown" />;
    return reasons.some((reason) => pattern.test(reason)) ? (
      <Badge tone="bad" text="not responding" />
    ) : (
      <Badge tone="good" text="connected" />
    );
  };
  return (
    <section aria-label="State">
      <ul class="parts">
        <li>
          {stores?.database === 'postgres' ? 'Postgres' : 'Database'}: {badge(/database/i)}
          {stores?.database === 'embedded' && ' (embedded)'}
        </li>
        {stores?.quotas === 'in-process' ? (
          <li class="muted">Limits are per process (Redis is not configured).</li>
        ) : (
          <li>Redis: {badge(/redis/i)}</li>
        )}
      </ul>
      {reasons.map((reason) => (
        <p class="state failed">{reason}</p>
      ))}
    </section>
  );
}

const bucketNames = { minute: 'a minute', hour: 'an hour', day: 'a day' };

function Figures({
  overview: { traffic, keys, replicas, history },
}: {
  overview: WithHistory<'getOverview'>;
}) {
  const { requests, seconds } = traffic;
  const total = sumOf(requests);
  const share = total === 0 ? 0 : requests.server_error / total;
  const denied = requests.denied + requests.banned;
  const latency = (ms: number | null) => (ms === null ? '–' : formatMs(ms));
  const buckets = toBuckets(history);
  const trend = (what: string, countOf: (bucket: Bucket) => number) => (
    <Sparkline counts={buckets.map(countOf)} what={what} per={bucketNames[history.bucket]} />
  );
  // Each number links to the page that lists the counted objects. A number without such a page has
  // a note instead.
  return (
    <section aria-label="Figures">
      <div class="figures">
        <Figure
          label="Requests / s"
          value={formatRate(seconds === 0 ? 0 : total / seconds)}
          href={linkTo('keys', { query: { sort: '-requests' } })}
          trend={trend('in the selected period', (bucket) => bucket.total)}
          note={`${formatCount(total)} in ${formatCount(seconds)} s`}
        />
        <Figure
          label="Denied or banned"
          value={formatShare(total === 0 ? 0 : denied / total)}
          tone={denied >= problemShares.denied * Math.max(total, 1) ? 'warning' : undefined}
          href={linkTo('keys', { query: { sort: '-denials' } })}
          trend={trend('that were denied or banned', ({ counts }) => counts.denied + counts.banned)}
          note={formatRequests(denied)}
        />
        <Figure
          label="Server errors"
          value={formatShare(share)}
          tone={share > 0 ? 'bad' : undefined}
          trend={trend('that failed', ({ counts }) => counts.server_error)}
          note={`${formatRequests(requests.server_error)} with status 5xx; see the service log`}
        />
        <Figure
          label="Latency p50"
          value={latency(traffic.p50Ms)}
          note="median response time; /metrics shows each operation"
        />
        <Figure
          label="Latency p99"
          value={latency(traffic.p99Ms)}
          note="99th percentile of response times; /metrics shows each operation"
        />
        <Figure
          label="Active keys"
          value={formatCount(keys.active)}
          href={linkTo('keys', { query: { state: 'active' } })}
          note="can send requests"
        />
        <Figure
          label="Banned keys"
          value={formatCount(keys.banned)}
          tone={keys.banned > 0 ? 'warning' : undefined}
          href={linkTo('keys', { query: { state: 'banned' } })}
          note="right now"
        />
        <Figure
          label="Replicas"
          value={formatCount(replicas.count)}
          note={`${formatCount(replicas.reporting)} had requests in the last minute`}
        />
      </div>
    </section>
  );
}

/**
 * The share of the requests in the last minute that must be denied or failed before the page shows
 * a problem.
 */
const problemShares = { denied: 0.25, failed: 0.01 };

/** The largest number of callers that a sentence names. */
const maxNamedCallers = 3;

/** Describes the current problems in one sentence, and names the affected callers. */
function Problems({ overview: { traffic, denied: callers } }: { overview: Overview }) {
  const { requests } = traffic;
  const total = Math.max(sumOf(requests), 1);
  const denied = (requests.denied + requests.banned) / total;
  const failed = requests.server_error / total;
  const others = callers.length - maxNamedCallers;
  return (
    <>
      {failed >= problemShares.failed && (
        <p class="state failed">
          <strong>
            {formatShare(failed)} of requests in the last minute failed with a server error.
          </strong>{' '}
          See the service log.
        </p>
      )}
      {denied >= problemShares.denied && (
        <p class="state warned">
          <strong>
            {formatShare(denied)} of requests in the last minute were denied
            {callers.length > 0 ? ':' : '.'}
          </strong>
          {callers.slice(0, maxNamedCallers).map((caller, n, { length }) => (
            <>
              {n === 0 ? ' ' : n === length - 1 && others <= 0 ? ' and ' : ', '}
              <CallerLink caller={caller} />
            </>
          ))}
          {others > 0 && (
            <>
              {' '}
              and <a href={linkTo('keys', { query: { sort: '-denials' } })}>others</a>
            </>
          )}
        </p>
      )}
    </>
  );
}

/**
 * A link to the account of the caller. If the key of the caller belongs to no account, the link
 * leads to the key.
 */
function CallerLink({ caller: { account, keyId, name } }: { caller: DeniedCaller }) {
  return keyId === null ? <AccountLink account={account} /> : <KeyLink id={keyId} name={name} />;
}

function Lists({
  overview: { history, traffic, bans },
  isToday,
}: {
  overview: WithHistory<'getOverview'>;
  isToday: boolean;
}) {
  const { busiest, denied } = history;
  const days = daysOf(history);
  const when = isToday ? ' today (UTC)' : `, ${days.label}`;
  return (
    <div class="columns">
      <Table
        caption={`Busiest keys${when}`}
        columns={[{ title: 'Key', takesRest: true }, 'Plan', { number: 'Requests' }]}
        rows={busiest.map(({ keyId, name, plan, requests }) => ({
          key: keyId,
          cells: [<KeyLink id={keyId} name={name} />, plan, formatCount(requests)],
        }))}
        empty={isToday ? 'No requests today.' : 'No requests in this period.'}
        aside={
          <CsvButton
            fileName={csvName('busiest-keys', days)}
            write={() => toCsv(busiest, busyKeyColumns)}
            what="the busiest keys"
          />
        }
      />
      <Table
        caption={`Denied${when}`}
        columns={[{ title: 'Account or key', takesRest: true }, { number: 'Denied' }]}
        rows={denied.map((caller) => ({
          key: caller.keyId ?? `account ${caller.account}`,
          cells: [<CallerLink caller={caller} />, formatCount(caller.denials)],
        }))}
        empty={
          isToday ? 'No requests were denied today.' : 'No requests were denied in this period.'
        }
      />
      <OutcomeTable
        counts={traffic.requests}
        caption={`Requests of the last ${formatCount(traffic.seconds)} seconds by outcome`}
      />
      <Table
        caption="Banned keys"
        columns={[{ title: 'Key', takesRest: true }, 'Until']}
        rows={bans.map(({ keyId, name, until }) => ({
          key: keyId,
          cells: [<KeyLink id={keyId} name={name} />, <CellTime at={until} />],
        }))}
        empty="No keys are banned."
      />
    </div>
  );
}

/**
 * Returns the first and the last day (UTC) of the list of busiest keys. They are the first and the
 * last day of the selected period, or the last 31 days of a longer period.
 */
function daysOf({ from, to }: { from: string; to: string }) {
  const dayMs = bucketMs.day;
  const end = Math.ceil(Date.parse(to) / dayMs);
  const start = Math.max(Math.floor(Date.parse(from) / dayMs), end - 31);
  const iso = (day: number) => new Date(day * dayMs).toISOString();
  const label = [start, end - 1].map((day) => iso(day).slice(0, 10));
  return {
    from: iso(start),
    to: iso(end),
    label: `${[...new Set(label)].join(' to ')} (UTC)`,
  };
}
