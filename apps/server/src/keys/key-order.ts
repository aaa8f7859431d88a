import { planNames } from '@animal-store/contract';
import { type SQL, sql } from 'drizzle-orm';
import { fromMicroseconds, isInteger, toMicroseconds } from '../database/list-page.ts';

/** An order in which keys are listed: by columns of a source, and by the id after them. */
interface KeyOrder {
  readonly columns: readonly string[];
  /** The place of a row in this order, as text. Times keep their microseconds, unlike in a `Date`. */
  readonly place: SQL<string>;
  /** The values that a place has in the columns. */
  readonly valuesOf: (place: string) => SQL;
  /** Whether a text may be a place in this order. Anybody can forge a cursor. */
  readonly isPlace: (text: string) => boolean;
}

const byTime: KeyOrder = {
  columns: ['place'],
  place: toMicroseconds(sql`scan.place`),
  valuesOf: fromMicroseconds,
  isPlace: isInteger,
};

const byName: KeyOrder = {
  columns: ['place'],
  place: sql<string>`scan.place`,
  valuesOf: (name) => sql`${name}`,
  // Postgres has no text with a NUL.
  isPlace: (text) => !text.includes('\0'),
};

const byPlan: KeyOrder = {
  columns: ['plan', 'place'],
  place: sql<string>`scan.plan || ' ' || ${byTime.place}`,
  valuesOf(place) {
    const [plan, time = ''] = place.split(' ');
    return sql`${plan}::plan_name, ${fromMicroseconds(time)}`;
  },
  isPlace(text) {
    const [plan, time = '', ...rest] = text.split(' ');
    return planNames.some((name) => name === plan) && isInteger(time) && rest.length === 0;
  },
};

/** The orders that keys are listed in. */
export const keyOrders = {
  name: byName,
  created: byTime,
  lastUse: byTime,
  plan: byPlan,
  expiry: byTime,
  deprecatedCall: byTime,
} as const;
