import { sql } from 'drizzle-orm';
import type { Database } from '../../src/database/database.ts';

/**
 * Fills a database with keys, the way they are in a service that has been there for two years: most
 * are Free and active, one account has a third of them, and a third was never used.
 */
export async function fillKeys(db: Database, count: number): Promise<void> {
  await db.execute(sql`alter table api_keys disable trigger user`);
  await db.execute(sql`
    insert into api_keys
      (name, account, plan, per_minute, per_day, created_at, expires_at, revoked_at)
    select
      case when n % 10 = 0 then null when n % 1000 = 1 then 'Zebra ' || n else 'Client ' || n end,
      case when n % 3 = 0 then 'big' when n % 3 = 1 then 'A-' || (n % 100000) end,
      plan,
      case when plan = 'enterprise' then 5000 end,
      case when plan = 'enterprise' then 1000000 end,
      created_at,
      -- One in twenty has expired, and three of twenty will.
      case n % 20 when 5 then created_at + interval '1 day'
        when 6 then now() + interval '1 year' when 7 then now() + interval '1 year'
        when 8 then now() + interval '1 year' end,
      case when n % 10 = 4 and plan <> 'enterprise' then created_at + interval '1 hour' end
    from (
      select n,
        now() - n * (interval '730 days' / ${count}::integer) as created_at,
        (case when n % 1000 = 3 then 'enterprise' when n % 50 = 2 then 'business'
          when n % 12 = 1 then 'pro' else 'free' end)::plan_name as plan
      from generate_series(1, ${count}::integer) n
    ) numbered`);
  await db.execute(sql`
    insert into api_tokens (hash, key_id, prefix, created_at)
    select id::text, id,
      'ast_' || left(md5(id::text), 4), created_at
    from api_keys`);
  await db.execute(sql`
    insert into usage.last_used (key_id, created_at, at, deprecated_at)
    select id, created_at, at, case when n % 20 = 0 then at end
    from (
      select id, created_at, n,
        case when n % 3 > 0 then now() - (n % 120) * interval '1 day' - n % 1440 * interval '1 minute' end as at
      from (select id, created_at, row_number() over (order by id) n from api_keys) numbered
    ) used`);
  await db.execute(sql`insert into accounts (name)
    select distinct account from api_keys where account is not null on conflict do nothing`);
  await db.execute(sql`alter table api_keys enable trigger user`);
  for (const table of ['api_keys', 'accounts', 'api_tokens', 'usage.last_used']) {
    await db.execute(sql.raw(`vacuum analyze ${table}`));
  }
}
