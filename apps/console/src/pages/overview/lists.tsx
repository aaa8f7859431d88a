import type { WithHistory } from '../../api/use-admin.ts';
import { KeyLink } from '../../components/key-link.tsx';
import { OutcomeTable } from '../../components/plot/outcome-table.tsx';
import { bucketMs } from '../../components/plot/usage.ts';
import { busyKeyColumns, toCsv } from '../../components/table/csv.ts';
import { CsvButton, csvName } from '../../components/table/csv-button.tsx';
import { Table } from '../../components/table/table.tsx';
import { formatCount } from '../../components/time/format.ts';
import { CellTime } from '../../components/time/time.tsx';
import { CallerLink } from './caller-link.tsx';

/** The lists of keys and callers below the plot. */
export function Lists({
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
