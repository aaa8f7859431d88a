import {
  type LedgerOfKey,
  type ServiceLedger,
  type UsageBucket,
  type UsageRow,
  usageBucketSeconds,
  usageOperations,
  usageOutcomes,
} from '@animal-store/contract/admin';
import { formatBars } from './bar-chart.ts';
import { formatTable, toCount } from './format-table.ts';
import { toMinute } from './format-time.ts';

/** What a key has used: a bar for each bucket, and a table by operation and outcome. */
export function showKeyUsage({ from, to, bucket, rows }: LedgerOfKey, columns: number): string {
  const period = `${toMinute(from)} to ${toMinute(to)}`;
  if (rows.length === 0) return `There were no requests from ${period}.\n`;
  const requestsAt = sumBy(rows, ({ at }) => Date.parse(at));
  const bars: { label: string; count: number }[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += usageBucketSeconds[bucket] * 1_000) {
    bars.push({ label: labelOf(at, bucket), count: requestsAt.get(at) ?? 0 });
  }
  return [
    `Requests by ${bucket} from ${period}:\n`,
    formatBars(bars, columns),
    formatOutcomes(rows),
  ].join('\n');
}

/** The busiest keys as a table. */
export function showBusiestKeys({ from, to, keys = [], rows }: ServiceLedger): string {
  const period = `${labelOf(Date.parse(from), 'day')} to ${labelOf(Date.parse(to) - 1, 'day')}`;
  if (keys.length === 0) return `No such key made a request from ${period} (UTC).\n`;
  const rowsOf = Map.groupBy(rows, ({ keyId }) => keyId);
  const table = formatTable(
    ['ID', 'NAME', 'ACCOUNT', 'PLAN', 'REQUESTS', 'ERRORS', 'DENIED'],
    keys.map(({ keyId, name, account, plan, requests }) => {
      const of = sumBy(rowsOf.get(keyId) ?? [], ({ outcome }) => outcome);
      const sum = (...outcomes: UsageRow['outcome'][]) =>
        toCount(outcomes.reduce((total, outcome) => total + (of.get(outcome) ?? 0), 0));
      return [
        ...[keyId, name ?? '-', account ?? '-', plan, toCount(requests)],
        ...[sum('client_error', 'server_error'), sum('denied', 'banned')],
      ];
    }),
  );
  return `The busiest keys from ${period} (UTC):\n\n${table}`;
}

/** How many requests each operation had, by outcome. What never occurred is left out. */
function formatOutcomes(rows: readonly UsageRow[]): string {
  const has = sumBy(rows, ({ outcome }) => outcome);
  const outcomes = usageOutcomes.filter((outcome) => has.has(outcome));
  const rowsOf = Map.groupBy(rows, ({ operation }) => operation);
  const lines = usageOperations.flatMap((operation) => {
    const of = sumBy(rowsOf.get(operation) ?? [], ({ outcome }) => outcome);
    const counts = outcomes.map((outcome) => toCount(of.get(outcome) ?? 0));
    return rowsOf.has(operation) ? [[operation, ...counts]] : [];
  });
  const titles = outcomes.map((outcome) => outcome.replace('_', ' ').toUpperCase());
  return formatTable(['OPERATION', ...titles], lines);
}

function sumBy<Name>(
  rows: readonly UsageRow[],
  nameOf: (row: UsageRow) => Name,
): Map<Name, number> {
  const sums = new Map<Name, number>();
  for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + row.requests);
  return sums;
}

function labelOf(unixMs: number, bucket: UsageBucket): string {
  const instant = new Date(unixMs).toISOString();
  return bucket === 'day' ? instant.slice(0, 10) : toMinute(instant);
}
