import type { NextFunction, Request, Response } from 'express';

type Cell = string | number | null;

/** What a table shows, by the names of its columns. */
export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

// RFC 7111, §5.1, and RFC 4180, §3.
const csvType = 'text/csv; charset=utf-8; header=present';

/**
 * Sends successes as CSV to clients that prefer it to JSON by their `Accept` (RFC 9110, §12.5.1).
 * Clients that take neither get JSON, as the RFC allows. Errors are always JSON.
 *
 * @param toTable turns the body into a table. Both are of the same operation.
 */
export function offerCsv<Body>(toTable: (body: Body) => CsvTable) {
  return function sendPreferredType(
    req: Pick<Request, 'accepts'>,
    res: Response,
    next: NextFunction,
  ): void {
    res.vary('Accept');
    if (req.accepts(['application/json', 'text/csv']) === 'text/csv') {
      const sendJson = res.json;
      res.json = (body) =>
        res.statusCode === 200
          ? res.setHeader('Content-Type', csvType).send(Buffer.from(toCsv(toTable(body))))
          : sendJson.call(res, body);
    }
    next();
  };
}

/** Writes a table as CSV with a header (RFC 4180). */
function toCsv({ columns, rows }: CsvTable): string {
  return [columns, ...rows].map((cells) => `${cells.map(toField).join(',')}\r\n`).join('');
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
