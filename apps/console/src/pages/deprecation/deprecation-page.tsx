import type { ListedKey } from '@animal-store/admin-contract';
import { deprecations } from '@animal-store/contract/deprecations';
import { useParameters } from '../../address.ts';
import { callForAll } from '../../api/call-admin-api.ts';
import { useAdmin } from '../../api/use-admin.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { Empty } from '../../components/empty.tsx';
import { Figure } from '../../components/figure.tsx';
import { KeyLink } from '../../components/key-link.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { UsagePlot } from '../../components/plot/plot.tsx';
import { keyColumns, toCsv } from '../../components/table/csv.ts';
import { CsvButton } from '../../components/table/csv-button.tsx';
import { useKeptOrder } from '../../components/table/keep-order.ts';
import { Pager } from '../../components/table/pager.tsx';
import { QuerySelect } from '../../components/table/query-fields.tsx';
import { Table } from '../../components/table/table.tsx';
import { formatCount, formatDistance } from '../../components/time/format.ts';
import { CellTime, Time } from '../../components/time/time.tsx';
import { periodQueryOf, useTimeRange } from '../../components/time/time-range.ts';
import { TimeRangeControl } from '../../components/time/time-range-control.tsx';

const pageSize = '25';

const { sunsetAt: sunset } = deprecations.getPet;

const periods = [
  ['1', 'day'],
  ['7', '7 days'],
  ['90', '90 days'],
] as const;

/** The page of deprecated operations: which keys still call them, and how often. */
export function DeprecationPage() {
  const { cursor, days = '30' } = useParameters('deprecation');
  const range = useTimeRange('month');
  const loaded = useAdmin('getDeprecation', {
    query: {
      ...periodQueryOf(range),
      deprecatedWithinDays: days,
      limit: pageSize,
      ...(cursor && { cursor }),
    },
  });
  const seconds = (sunset.getTime() - Date.now()) / 1_000;

  return (
    <>
      <h1>Deprecation</h1>
      <div class="figures few">
        <Figure
          label="Operation"
          value="getPet"
          note={
            <code>
              GET /v1/pets/{'{'}petId{'}'}
            </code>
          }
        />
        <Figure
          label="Shutdown"
          value={formatDistance(sunset)}
          tone={seconds < 90 * 86_400 ? 'warning' : undefined}
          note={<Time at={sunset.toISOString()} hidesSeconds hasUtc />}
        />
      </div>
      <TimeRangeControl range={range} />
      <Loaded query={loaded} what="the calls">
        {({ body, nextCursor, subject }) => (
          <>
            <UsagePlot what="Calls to getPet" ledger={body} countsAllKeys />
            <section>
              <div class="title">
                <h2>Keys that still call getPet</h2>
                <form
                  class="filters"
                  aria-label="Period"
                  onSubmit={(event) => event.preventDefault()}
                >
                  <QuerySelect
                    name="days"
                    label="Called in the last"
                    options={periods}
                    all="30 days"
                  />
                </form>
                <CsvButton
                  fileName="callers.csv"
                  write={async () => {
                    const callers = { deprecatedWithinDays: days, include: 'recent' };
                    return toCsv(await callForAll('listKeys', callers), keyColumns);
                  }}
                  what="all keys that still call getPet"
                />
              </div>
              {body.callers.length === 0 ? (
                <Empty title="No calls to deprecated operations in this period">
                  <p>
                    If nobody calls these operations again, you can remove them without affecting
                    anyone.
                  </p>
                </Empty>
              ) : (
                <CallerTable keys={body.callers} subject={subject} />
              )}
              <Pager nextCursor={nextCursor} />
            </section>
          </>
        )}
      </Loaded>
    </>
  );
}

/**
 * A table of the keys that call deprecated operations, the latest caller first. Rows do not move
 * while an operator reads them.
 */
function CallerTable({ keys, subject }: { keys: readonly ListedKey[]; subject: string }) {
  const rows = useKeptOrder(subject, keys, ({ id }) => id);
  return (
    <Table
      isWide
      caption="Callers"
      columns={[
        { title: 'Key', takesRest: true },
        { title: 'Account', minWidth: 'tablet', shrinks: true },
        { title: 'Plan', minWidth: 'desk' },
        { number: 'Calls in 30 days' },
        'Last used (any operation)',
      ]}
      rows={rows.map(({ id, name, account, inForce, lastUsedAt, recent }) => ({
        key: id,
        cells: [
          <KeyLink id={id} name={name} range="month" />,
          <AccountLink account={account} />,
          inForce.plan,
          formatCount(recent?.deprecatedCalls ?? 0),
          <CellTime at={lastUsedAt} isMinute />,
        ],
      }))}
    />
  );
}
