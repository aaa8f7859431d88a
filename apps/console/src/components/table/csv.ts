import type { AuditEntry, BusyKey, ListedAccount, ListedKey } from '@animal-store/admin-contract';
import papaparse from 'papaparse';
import { type Bucket, outcomes } from '../plot/usage.ts';

type Cell = string | number | null;

/**
 * The columns of a CSV file: the name of each column, and a function that returns its cell for a
 * row.
 */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/**
 * Formats rows as CSV with a header line (RFC 4180). The text starts with a byte order mark,
 * because Excel does not recognize UTF-8 without one.
 */
export function toCsv<Row>(rows: readonly Row[], columns: CsvColumns<Row>): string {
  const cells = Object.values(columns);
  const data = rows.map((row) => cells.map((cellOf) => toInertCell(cellOf(row))));
  return `\ufeff${papaparse.unparse([Object.keys(columns), ...data])}\r\n`;
}

/**
 * Matches the places where a formula could start. Spreadsheets execute a cell that begins with a
 * character such as `=` or `@`. An attacker could name a key so that its cell sends the sheet to a
 * server. An apostrophe in front makes the cell a plain text. In locales with a decimal comma,
 * Excel also starts a new cell after each semicolon, even inside quotes.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
const formulas = /(?<=^|[;\t\r\n])(?=["'\s]*[=+\-@\t\r＝＋－＠])/g;

function toInertCell(cell: Cell): Cell {
  return typeof cell === 'string' ? cell.replaceAll(formulas, "'") : cell;
}

/**
 * Creates columns that contain properties of a row unchanged. The column names are the property
 * names.
 */
const members = <Name extends string>(...names: Name[]): CsvColumns<Record<Name, Cell>> =>
  Object.fromEntries(names.map((name) => [name, (row: Record<Name, Cell>) => row[name]]));

export const keyColumns: CsvColumns<ListedKey> = {
  ...members('id', 'name', 'account', 'plan'),
  planInForce: ({ inForce }) => inForce.plan,
  perMinute: ({ inForce }) => inForce.quota.perMinute,
  perDay: ({ inForce }) => inForce.quota.perDay,
  scopes: ({ scopes }) => scopes.join(' '),
  ...members('state', 'bannedUntil'),
  suspendedAt: ({ suspension }) => suspension?.at ?? null,
  suspensionReason: ({ suspension }) => suspension?.reason ?? null,
  accountSuspendedAt: ({ accountSuspension }) => accountSuspension?.at ?? null,
  accountSuspensionReason: ({ accountSuspension }) => accountSuspension?.reason ?? null,
  ...members('createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt', 'lastRefusedAt'),
  tokens: ({ tokens }) => tokens.map(({ prefix }) => prefix).join(' '),
  requestsToday: ({ recent }) => recent?.requestsToday ?? 0,
  deniedToday: ({ recent }) => recent?.deniedToday ?? 0,
  requestsIn24Hours: ({ recent }) => recent?.byHour.reduce((sum, count) => sum + count, 0) ?? 0,
  deprecatedCallsIn30Days: ({ recent }) => recent?.deprecatedCalls ?? 0,
};

export const accountColumns: CsvColumns<ListedAccount> = {
  ...members('account', 'plan'),
  perMinute: ({ quota }) => quota?.perMinute ?? null,
  perDay: ({ quota }) => quota?.perDay ?? null,
  suspendedAt: ({ suspension }) => suspension?.at ?? null,
  suspensionReason: ({ suspension }) => suspension?.reason ?? null,
  ...members('keys', 'bannedKeys', 'requestsToday', 'deniedToday'),
};

/** The columns of the audit log as a CSV file. The values before and after a change are JSON. */
export const auditColumns: CsvColumns<AuditEntry> = {
  ...members('id', 'at'),
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  action: ({ action }) => action,
  subjectType: ({ subject }) => subject.type,
  subjectId: ({ subject }) => subject.id,
  subjectName: ({ subject }) => subject.name,
  account: ({ subject }) => subject.account,
  before: ({ before }) => JSON.stringify(before),
  after: ({ after }) => JSON.stringify(after),
  ...members('requestId', 'reason'),
};

/**
 * The columns of the CSV file that a plot offers. The file has one row for each bucket, even if the
 * bucket has no requests.
 */
export const bucketColumns: CsvColumns<Bucket> = {
  at: ({ at }) => at.toISOString(),
  ...Object.fromEntries(
    outcomes.map((outcome) => [outcome, ({ counts }: Bucket) => counts[outcome]]),
  ),
  all: ({ total }) => total,
};

export const busyKeyColumns: CsvColumns<BusyKey> = members(
  ...(['keyId', 'name', 'account', 'plan', 'requests'] as const),
);
