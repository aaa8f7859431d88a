import { type SQL, sql } from 'drizzle-orm';
import { apiKeys, searchedText } from '../database/schema.ts';

/** Shorter texts have no index: whatever holds them is common. */
const minIndexedLength = 3;

/** Whether the index finds what contains a text. */
export const isIndexed = (text: string): boolean => [...text].length >= minIndexedLength;

/** The condition that a key's name or account contains a text. */
function contains(text: string): SQL {
  return sql`strpos(${searchedText(apiKeys)}, lower(${text})) > 0`;
}

/** The ids of the keys that a text finds, by indexes alone: at most so many by their name or account. */
export function idsFoundBy(text: string, max: number): SQL {
  const parts = [
    // The three characters of each place of the text narrow it down; not all with them contain the text.
    sql`(select id from api_keys where search_grams(${searchedText(apiKeys)}) @> search_grams(lower(${text}))
      and ${contains(text)} limit ${max})`,
  ];
  const range = idRangeOf(text);
  if (range !== undefined) parts.push(sql`(select id from api_keys where ${isIn(range)})`);
  const prefix = tokenPrefixOf(text);
  if (prefix !== undefined) {
    parts.push(sql`(select key_id from api_tokens where prefix = ${prefix})`);
  }
  return sql.join(parts, sql` union all `);
}

/** The condition that a text finds a key. */
export function isFoundBy(text: string): SQL {
  const parts = [contains(text)];
  const range = idRangeOf(text);
  if (range !== undefined) parts.push(isIn(range));
  const prefix = tokenPrefixOf(text);
  if (prefix !== undefined) {
    parts.push(
      sql`exists (select from api_tokens where key_id = ${apiKeys.id} and prefix = ${prefix})`,
    );
  }
  return sql`(${sql.join(parts, sql` or `)})`;
}

interface IdRange {
  readonly from: string;
  readonly to: string;
}

const isIn = ({ from, to }: IdRange) => sql`${apiKeys.id} between ${from}::uuid and ${to}::uuid`;

/** The ids that begin so; `undefined` if the text is too short to mean one, or is none. */
function idRangeOf(text: string): IdRange | undefined {
  const digits = text.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{4,32}$/.test(digits)) return undefined;
  return { from: digits.padEnd(32, '0'), to: digits.padEnd(32, 'f') };
}

/** What is stored of a token that begins so; `undefined` if it is the start of none. */
function tokenPrefixOf(text: string): string | undefined {
  return /^ast_[0-9A-Za-z]{4}/.exec(text)?.[0];
}
