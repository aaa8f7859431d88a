import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Latin letters with marks, and those without, both small: one by one, as `translate` has them. */
const letters = Array.from({ length: 0x180 - 0xdf }, (_, n) =>
  String.fromCodePoint(0xdf + n),
).flatMap((letter) => {
  const [base = '', ...marks] = letter.normalize('NFD');
  return marks.length > 0 && /[a-z]/.test(base) ? [[letter, base] as const] : [];
});
const [marked, plain] = [0, 1].map((n) => letters.map((pair) => pair[n]).join(''));

/** A text as it is searched: in small letters without marks, so that "zurich" finds "Zürich". */
export const folded = (text: SQLWrapper | string): SQL<string> =>
  sql`translate(lower(${text}), ${marked}, ${plain})`;
