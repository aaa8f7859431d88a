import type { NextFunction, Request, Response } from 'express';
import { appendHeader } from '../http/note-headers.ts';
import { WrittenBody } from '../http/written-body.ts';

type Cell = string | number | null;

/** The columns of a table, by their names: what each shows of a row. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

// RFC 7111, §5.1, and RFC 4180, §3.
const csvType = 'text/csv; charset=utf-8; header=present';

/** Says that the type of the body depends on the request, on refusals, too: a step before the handler. */
export function offerCsv(_req: unknown, res: Response, next: NextFunction): void {
  appendHeader(res, 'Vary', 'Accept');
  next();
}

/**
 * Gives the body as CSV to clients that prefer that to JSON by their `Accept` (RFC 9110, §12.5.1).
 * Clients that take neither get JSON, as the RFC allows. Errors are always JSON.
 *
 * Not by `res.format`, which sends by itself: ts-rest sends what a handler returns.
 */
export function inPreferredType<Body>(
  req: Pick<Request, 'accepts'>,
  body: Body,
  writeCsv: (body: Body) => string,
): Body | WrittenBody {
  const prefersCsv = req.accepts(['application/json', 'text/csv']) === 'text/csv';
  return prefersCsv ? new WrittenBody(writeCsv(body), csvType) : body;
}

/** Writes rows as CSV with a header (RFC 4180). */
export function toCsv<Row>(rows: readonly Row[], columns: CsvColumns<Row>): string {
  const cells = Object.values(columns);
  const lines = [Object.keys(columns), ...rows.map((row) => cells.map((cellOf) => cellOf(row)))];
  return lines.map((line) => `${line.map(toField).join(',')}\r\n`).join('');
}

function toField(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const text = toInertText(cell ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Spreadsheets run a cell that begins with one of these characters as a formula. Somebody who may
 * choose the name of a key could make one that sends the sheet away. An apostrophe makes it a text.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
function toInertText(text: string): string {
  return /^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text;
}
