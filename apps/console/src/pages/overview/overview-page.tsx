import { useQuery } from '@tanstack/preact-query';
import { RefusedRequest } from '../../api/failures.ts';
import { pollMs, useAdminWithHistory, type WithHistory } from '../../api/use-admin.ts';
import { Loaded } from '../../components/loaded.tsx';
import { UsagePlot } from '../../components/plot/plot.tsx';
import { useTimeRange } from '../../components/time/time-range.ts';
import { TimeRangeControl } from '../../components/time/time-range-control.tsx';
import { Figures } from './figures.tsx';
import { Health, readHealth } from './health.tsx';
import { Lists } from './lists.tsx';
import { Problems } from './problems.tsx';

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
