import { html } from 'htm/preact';
import { type Answer, call } from '../admin-client.ts';
import { Loaded } from '../parts/loaded.ts';
import { OutcomeTable } from '../parts/outcome-table.ts';
import { UsagePlot } from '../parts/plot.ts';
import { usePolling } from '../polling.ts';
import { countByOutcome, toBuckets } from '../usage.ts';

/** How the service is doing. */
export function OverviewPage() {
  const usage = usePolling('usage', (signal) =>
    call('getUsage', { query: { bucket: 'minute' }, signal }),
  );
  return html`
    <h1>Overview</h1>
    <${Loaded} of=${usage} what="the usage">
      ${(ledger: Answer<'getUsage'>) => html`
        <${UsagePlot} title="Requests by minute, all keys" buckets=${toBuckets(ledger, 60)} />
        <${OutcomeTable} counts=${countByOutcome(ledger.rows)} caption="The last hour by outcome" />
      `}
    <//>
  `;
}
