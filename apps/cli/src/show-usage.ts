import {
  type BusyKey,
  type LedgerOfKey,
  type ServiceLedger,
  type UsageBucket,
  type UsageRow,
  usageBucketSeconds,
  usageOperations,
  usageOutcomes,
} from '@animal-store/admin-contract';
import { formatTable, gap, none, toCount, toMinute } from './format-table.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The time by which a period may be longer than the limit for a bucket length. */
const toleranceMs = 60_000;

/**
 * The smallest width of a bar that is worth showing, in characters. If the terminal has less room,
 * the output contains no bars.
 */
const minBarWidth = 8;

/** The width of the longest bar, in characters. Wider bars would not be easier to compare. */
const maxBarWidth = 60;

/**
 * The greatest age of a period that is shown by the minute, and by the hour. By default, the
 * service stores minutes for 48 hours and hours for 90 days. The ages are slightly shorter, because
 * the first bucket of a period may begin before the period.
 */
const storedMs = { minute: 48 * hourMs - 60_000, hour: 90 * dayMs - hourMs };

/**
 * Chooses the length of the buckets so that the table has a readable number of rows, and the
 * service still stores the counts. Without a start time, the function assumes 24 hours, which is
 * also the default of the admin API.
 */
export function bucketFor(
  { from, to }: { from?: unknown; to?: unknown },
  now: number = Date.now(),
): UsageBucket {
  const end = to === undefined ? now : Date.parse(String(to));
  const start = from === undefined ? end - dayMs : Date.parse(String(from));
  // A start such as `1h` was computed a few milliseconds ago, so the period is slightly longer.
  const ms = end - start - toleranceMs;
  const ageMs = now - start;
  if (ms <= hourMs && ageMs <= storedMs.minute) return 'minute';
  return ms <= 48 * hourMs && ageMs <= storedMs.hour ? 'hour' : 'day';
}

/** Formats the usage of a key: a bar for each bucket, and a table by operation and outcome. */
export function showKeyUsage(
  { from, to, bucket, keptSince, rows }: LedgerOfKey,
  columns: number,
): string {
  const period = `${toMinute(from)} to ${toMinute(to)}`;
  const retention = describeRetention({ from, bucket, keptSince });
  if (rows.length === 0) return `There were no requests from ${period}.\n${retention}`;
  const requestsAt = sumBy(rows, ({ at }) => Date.parse(at));
  const bars: { label: string; count: number }[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += usageBucketSeconds[bucket] * 1_000) {
    bars.push({ label: labelOf(at, bucket), count: requestsAt.get(at) ?? 0 });
  }
  return [
    `Requests by ${bucket} from ${period}:\n`,
    formatBars(bars, columns),
    formatOutcomes(rows),
    ...(retention === '' ? [] : [retention]),
  ].join('\n');
}

/**
 * Says since when requests are stored, if a report begins earlier. Returns an empty text for the
 * report of an earlier version of the service, which has no `keptSince`.
 */
function describeRetention(
  report: Pick<LedgerOfKey, 'from' | 'bucket'> & { keptSince: string | undefined },
): string {
  const { from, bucket, keptSince } = report;
  if (keptSince === undefined || from >= keptSince) return '';
  const advice = bucket === 'day' ? '' : ' Use a longer --bucket for older requests.';
  return `Requests by ${bucket} are stored only since ${toMinute(keptSince)}.${advice}\n`;
}

export function showBusiestKeys({ from, to, keys = [], rows }: ServiceLedger): string {
  const first = labelOf(Date.parse(from), 'day');
  const last = labelOf(Date.parse(to) - 1, 'day');
  const period = first === last ? `on ${first}` : `from ${first} to ${last}`;
  if (keys.length === 0) return `No matching key made a request ${period} (UTC).\n`;
  const ended = sumBy(rows, ({ keyId, outcome }) => `${keyId} ${outcome}`);
  const sum = ({ keyId }: BusyKey, ...outcomes: UsageRow['outcome'][]) =>
    toCount(outcomes.reduce((total, name) => total + (ended.get(`${keyId} ${name}`) ?? 0), 0));
  const table = formatTable(keys, {
    ID: ({ keyId }) => keyId,
    NAME: ({ name }) => name ?? none,
    ACCOUNT: ({ account }) => account ?? none,
    PLAN: ({ plan }) => plan,
    REQUESTS: ({ requests }) => toCount(requests),
    ERRORS: (key) => sum(key, 'client_error', 'server_error'),
    DENIED: (key) => sum(key, 'denied', 'banned'),
    REFUSED: (key) => sum(key, 'refused'),
  });
  return `The busiest keys ${period} (UTC):\n\n${table}`;
}

/**
 * Formats numbers as horizontal bars, one on each line. If the terminal is too narrow for bars, the
 * lines contain only labels and numbers. No line is cut off.
 */
export function formatBars(
  bars: readonly { readonly label: string; readonly count: number }[],
  columns: number,
): string {
  const labelWidth = Math.max(0, ...bars.map(({ label }) => label.length));
  const countWidth = Math.max(0, ...bars.map(({ count }) => toCount(count).length));
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const room = columns - labelWidth - countWidth - 2 * gap.length;
  const barWidth = room < minBarWidth ? 0 : Math.min(room, maxBarWidth);
  return bars
    .map(({ label, count }) => {
      const start = `${label.padEnd(labelWidth)}${gap}${toCount(count).padStart(countWidth)}`;
      // A bar has at least one character if its number is not 0.
      const length = count === 0 || barWidth === 0 ? 0 : Math.ceil((count / most) * barWidth);
      return `${start}${gap}${'█'.repeat(length)}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Formats a table of the requests by operation and outcome. It has no columns for outcomes that did
 * not occur.
 */
function formatOutcomes(rows: readonly UsageRow[]): string {
  const has = sumBy(rows, ({ outcome }) => outcome);
  const outcomes = usageOutcomes.filter((outcome) => has.has(outcome));
  const requests = sumBy(rows, ({ operation, outcome }) => `${operation} ${outcome}`);
  const columns = outcomes.map((outcome) => [
    outcome.replace('_', ' ').toUpperCase(),
    (operation: string) => toCount(requests.get(`${operation} ${outcome}`) ?? 0),
  ]);
  const called = sumBy(rows, ({ operation }) => operation);
  return formatTable(
    usageOperations.filter((operation) => called.has(operation)),
    { OPERATION: (operation) => operation, ...Object.fromEntries(columns) },
  );
}

function sumBy<Row extends UsageRow, Name>(
  rows: readonly Row[],
  nameOf: (row: Row) => Name,
): Map<Name, number> {
  const sums = new Map<Name, number>();
  for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + row.requests);
  return sums;
}

function labelOf(unixMs: number, bucket: UsageBucket): string {
  const instant = new Date(unixMs).toISOString();
  return bucket === 'day' ? instant.slice(0, 10) : toMinute(instant);
}
