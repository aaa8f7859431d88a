import { connectTo } from '../support/databases.ts';

/** The number of API keys in the database, which is more than any known user of the service has. */
const manyKeys = 1_000_000;

/**
 * Fills a migrated database with a million API keys, their tokens and accounts, the times of their
 * last use, the request counts of a week, and audit entries. A fifth of the names contain
 * characters that are not ASCII, every third key has no account, and a fifth of the keys was used
 * each day.
 */
export async function fillWithKeys(url: string, keys = manyKeys): Promise<void> {
  await using sql = connectTo(url);
  await sql`select set_config('statement_timeout', '0', false)`;
  // The search indexes are dropped first and created again at the end. This takes a third of the
  // time that updating the indexes for each row would take.
  const indexes = await sql`select indexname as name, indexdef as definition from pg_indexes
    where indexname like '%\\_trigrams'`;
  for (const { name } of indexes) await sql`drop index ${sql(name)}`;
  // The triggers are disabled, because the statements below do the work of the triggers for all API
  // keys in one step.
  await sql`alter table api_keys disable trigger api_keys_note_new_key`;
  await sql`alter table api_keys disable trigger api_keys_note_account`;
  await sql`insert into accounts (name, plan, suspended_at)
    select 'C-' || n, case when n % 100 = 1 then 'pro'::plan_name end,
      case when n % 1003 = 0 then now() end
    from generate_series(0, ${keys / 10} - 1) n`;
  await sql`insert into api_keys (name, account, plan, per_minute, per_day, created_at, expires_at,
      revoked_at, suspended_at)
    select case when n % 50 > 0 then (array['Acme', 'Zürich Versicherung', 'Globex', 'Initech',
        'Umbrella', 'Stark Industries', 'Wayne', 'Crème & Café', 'Hooli', 'Vandelay'])[1 + n % 10]
        || (array[' production ', ' staging ', ' app ', ' shop ', ' import '])[1 + n / 10 % 5]
        || left(md5(n::text), 6) end,
      case when n % 3 > 0 then 'C-' || n % (${keys}::int / 10) end,
      (case when n % 100 = 0 then 'enterprise' when n % 7 = 0 then 'business'
        when n % 3 = 0 then 'pro' else 'free' end)::plan_name,
      case when n % 100 = 0 then 5000 end, case when n % 100 = 0 then 100000 end,
      now() - make_interval(secs => n * 20.0),
      case when n % 5 = 0 then now() + make_interval(hours => n % 1000 - 500) end,
      case when n % 11 = 0 then now() - interval '1 day' end,
      case when n % 997 = 0 then now() end
    from generate_series(1, ${keys}::int) n`;
  await sql`insert into api_tokens (hash, key_id, prefix)
    select md5(id::text) || md5(name), id, 'ast_' || left(md5(id::text), 4) from api_keys
    where name is not null`;
  // The ids are random, so a condition on the first characters of an id selects a certain share of
  // the API keys.
  await sql`insert into usage.last_used (key_id, created_at, at, deprecated_at)
    select id, created_at,
      case when id::text > '5' then created_at + (now() - created_at) * random() end,
      case when id::text > 'fa' then now() - random() * interval '60 days' end
    from api_keys`;
  await sql`insert into usage.counts (key_id, span, at, operation, outcome, requests)
    select id, 1440, date_trunc('day', now(), 'UTC') - make_interval(days => days), 1, outcome,
      1 + (random() * case when id::text > 'fe' then 1000 else 50 end)::int
    from api_keys, generate_series(0, 6) days, unnest('{0,3}'::smallint[]) outcome
    where id::text > 'd' and (outcome = 0 or id::text > 'f')`;
  await sql`insert into audit_entries (at, actor_type, actor_name, action, subject_type, subject_id,
      subject_name, account, before, after, request_id, reason)
    select created_at, 'admin_token', 'ADMIN_TOKEN', 'key.created', 'key', id, name, account, '{}',
      '{}', 'req_' || left(id::text, 8), case when id::text < '2' then 'Vertrag für ' || name end
    from api_keys`;
  await sql`insert into open_bans (key_id, started_at, until)
    select id, now(), now() + interval '1 hour' from api_keys where id::text < '001'`;
  await sql`alter table api_keys enable trigger api_keys_note_new_key`;
  await sql`alter table api_keys enable trigger api_keys_note_account`;
  for (const { definition } of indexes) await sql.unsafe(definition);
  await sql`vacuum analyze`;
}
