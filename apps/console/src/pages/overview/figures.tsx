import { linkTo } from '../../address.ts';
import type { WithHistory } from '../../api/use-admin.ts';
import { Figure } from '../../components/figure.tsx';
import { Sparkline } from '../../components/plot/sparkline.tsx';
import { type Bucket, sumOf, toBuckets } from '../../components/plot/usage.ts';
import {
  formatCount,
  formatMs,
  formatRate,
  formatRequests,
  formatShare,
} from '../../components/time/format.ts';
import { problemShares } from './problems.tsx';

const bucketNames = { minute: 'a minute', hour: 'an hour', day: 'a day' };

/** The figures of the last minute, with their course in the selected period. */
export function Figures({
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
