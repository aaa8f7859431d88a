import { type OperationMetadata, operations } from '@animal-store/contract';
import { sql } from 'drizzle-orm';
import { statement } from '../database/statement.ts';
import { accountTotalId } from './usage-tables.ts';

/**
 * How many entries one roll-up takes, and one flush more. It has to fit into the time that a
 * statement may take; rows that are not in the page cache are up to twenty times as slow.
 */
const maxEntries = 2_000;

const deprecatedCodes = Object.values<{ metadata: OperationMetadata }>(operations)
  .filter(({ metadata }) => metadata.deprecation !== undefined)
  .map(({ metadata }) => metadata.usageCode);
const deprecated = sql.raw(`any ('{${deprecatedCodes}}')`);

/** Adds the entries to the buckets of a table. */
const addTo = (table: string, minutes: number) => sql`
  insert into usage.${sql.raw(table)} as total (key_id, at, operation, outcome, requests)
  select key_id, to_timestamp(minute / ${sql.raw(String(minutes))} * ${sql.raw(String(minutes * 60))}),
    operation, outcome, sum(requests)
  from counted group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (key_id, at, operation, outcome) do update
  set requests = total.requests + excluded.requests`;

/**
 * Adds the oldest waiting flushes to the buckets, and marks them. One statement, so that a flush is
 * either waiting or counted. Only one replica may run it at a time.
 *
 * `counted` holds each entry under its key, under the sum of its plan, see `totalId`, and under the
 * sum of its plan in its account, see `accountTotalId`. The account is that of now, at most half a minute later.
 */
export const rollUpFlushes = statement('roll_up_flushes', (db) =>
  db.execute(sql`
    with waiting as (
      select flushed_at, replica, sequence,
        sum(entries) over (order by flushed_at, replica, sequence) - entries as entries_before
      from usage.flushes where rolled_up_at is null
      order by flushed_at, replica, sequence limit 200
    ), taken as (
      update usage.flushes flush set rolled_up_at = now() from waiting
      where flush.flushed_at = waiting.flushed_at and flush.replica = waiting.replica
        and flush.sequence = waiting.sequence and entries_before < ${sql.raw(String(maxEntries))}
      returning key_ids, plans, minutes, operations, outcomes, flush.requests
    ), entry as materialized (
      select entry.*, key.account
      from taken, unnest(key_ids, plans, minutes, operations, outcomes, taken.requests)
        as entry (key_id, plan, minute, operation, outcome, requests)
        left join api_keys key on key.id = entry.key_id
    ), counted as materialized (
      select key_id, minute, operation, outcome, requests from entry where plan > 0
      union all
      select ('00000000-0000-0000-0000-00000000000' || plan)::uuid, minute, operation, outcome,
        sum(requests)
      from entry group by 1, 2, 3, 4
      union all
      select ${accountTotalId(sql`plan`, sql`account`)}, minute, operation, outcome, sum(requests)
      from entry where account is not null group by 1, 2, 3, 4
    ), minutes as (${addTo('minutes', 1)}
    ), hours as (${addTo('hours', 60)}
    ), days as (${addTo('days', 1_440)}
    ), key_days as (
      insert into usage.key_days as total (key_id, at, plan, account, requests)
      select key_id, to_timestamp(minute / 1440 * 86400), 
        (array_agg(plan order by minute desc))[1], max(account), sum(requests)
      from entry where plan > 0 group by 1, 2 order by 1, 2
      on conflict (key_id, at) do update
      set requests = total.requests + excluded.requests, plan = excluded.plan,
        account = excluded.account
    )
    insert into usage.last_used as last (key_id, at, deprecated_at)
    select key_id, to_timestamp(max(minute) * 60),
      to_timestamp(max(minute) filter (where operation = ${deprecated}) * 60)
    from entry where plan > 0 group by 1 order by 1
    on conflict (key_id) do update
    set at = greatest(last.at, excluded.at),
      deprecated_at = greatest(last.deprecated_at, excluded.deprecated_at)
    where excluded.at > coalesce(last.at, '-infinity')
      or excluded.deprecated_at > coalesce(last.deprecated_at, '-infinity')`),
);
