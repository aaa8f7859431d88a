import { usageOutcomes } from '@animal-store/admin-contract';
import { type OperationMetadata, operations } from '@animal-store/contract';
import { statement } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import type { Traffic } from './live-traffic.ts';
import { totalId, type UsageEntry } from './usage-entry.ts';

/**
 * The counts of one replica that are written together. Either all of them are added to the usage
 * tables or none.
 */
export interface UsageFlush extends Traffic {
  /** The id of the process that counted the requests. */
  readonly replica: string;
  /**
   * A number that identifies the flush (a batch of counts) together with `replica`. Writing the
   * same flush again changes nothing.
   */
  readonly sequence: number;
  readonly entries: readonly UsageEntry[];
}

/**
 * Converts an array to an SQL expression. The array is sent as text, because both database drivers
 * send texts in the same way.
 */
const arrayOf = (values: readonly number[]) => sql`${`{${values.join(',')}}`}::text::integer[]`;

const deprecatedCodes = Object.values<{ metadata: OperationMetadata }>(operations)
  .filter(({ metadata }) => metadata.deprecation !== undefined)
  .map(({ metadata }) => metadata.usageCode);
const isDeprecated = sql.raw(`operation = any ('{${deprecatedCodes}}')`);
const isRefused = sql.raw(`outcome = ${usageOutcomes.indexOf('refused')}`);

type UseColumn = 'at' | 'deprecated_at' | 'refused_at';

/**
 * Returns the SQL expression for the last recorded use of an API key. The result is null if this
 * time is in the future, because the clock of the database was set back since then.
 */
const recorded = (column: UseColumn) =>
  `case when last.${column} <= now() + interval '1 minute' then last.${column} end`;

/**
 * Returns the SQL condition that a use of an API key is in a later minute than the last recorded
 * use. So the time of the last use, and its index entry, are written at most once a minute.
 */
const isLater = (column: UseColumn) =>
  sql.raw(`date_trunc('minute', excluded.${column}) >
    coalesce(date_trunc('minute', ${recorded(column)}), '-infinity')`);

const latest = (column: UseColumn) =>
  sql.raw(
    `${column} = coalesce(greatest(${recorded(column)}, excluded.${column}), last.${column})`,
  );

/**
 * Adds the counts of a replica to the usage tables, under each API key and under the sum of each
 * plan. One SQL statement records the flush (the batch of counts) and adds its counts, so neither
 * can happen alone. If the same flush is written twice at the same time, the second statement waits
 * for the first one and then changes nothing.
 *
 * All flushes lock rows in the same order, so that two flushes never deadlock. The sums of plans
 * come last, because all flushes update them. Their locks are then held for the shortest time.
 *
 * The clock of Redis or of a replica may be ahead. A time in the future, by the clock of the
 * database, is replaced by the current time. Otherwise, after one request at a time that is a year
 * ahead, the last use of its API key would be wrong for a year.
 */
export const addFlush = statement('add_usage', (db, flush: UsageFlush, ageMs: number) =>
  db.execute(sql`
    with flush as (
      insert into usage.written (replica, sequence, at, outcomes, latencies)
      values (${flush.replica}, ${flush.sequence}, now() - make_interval(secs => ${ageMs / 1_000}),
        ${arrayOf(flush.outcomes)}, ${arrayOf(flush.latencies)})
      on conflict do nothing returning 1
    ), entry as materialized (
      select "keyId", plan, operation, outcome, requests,
        least(minute, floor(extract(epoch from now()) / 60))::integer as minute,
        least(to_timestamp("lastAtMs" / 1000), now()) as last_at
      from flush, json_to_recordset(${JSON.stringify(flush.entries)}::text::json)
        as entry ("keyId" uuid, plan smallint, minute integer, operation smallint, outcome smallint,
          requests integer, "lastAtMs" double precision)
    ), counted as (
      select "keyId" as key_id, minute, operation, outcome, requests from entry where plan > 0
      union all
      select (${totalId(0).slice(0, -1)}::text || plan)::uuid, minute, operation, outcome, requests
      from entry
    ), added as (
      insert into usage.counts as total (key_id, span, at, operation, outcome, requests)
      select key_id, span, to_timestamp(minute / span * span * 60), operation, outcome, sum(requests)
      from counted, unnest('{1,60,1440}'::smallint[]) span
      group by 1, 2, 3, 4, 5 order by 1 desc, 2, 3, 4, 5
      on conflict (key_id, span, at, operation, outcome) do update
      set requests = total.requests + excluded.requests
    ), used as (
      select "keyId" as key_id, last_at as at, operation, ${isRefused} as is_refused
      from entry
      where plan > 0
    )
    insert into usage.last_used as last (key_id, at, deprecated_at, refused_at)
    select key_id, max(at) filter (where not is_refused),
      max(at) filter (where ${isDeprecated} and not is_refused), max(at) filter (where is_refused)
    from used group by 1 order by 1
    on conflict (key_id) do update
    set ${latest('at')}, ${latest('deprecated_at')}, ${latest('refused_at')}
    where ${isLater('at')} or ${isLater('deprecated_at')} or ${isLater('refused_at')}`),
);
