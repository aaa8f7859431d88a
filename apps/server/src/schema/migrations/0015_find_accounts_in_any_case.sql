-- `IF NOT EXISTS` is written by hand, because the service creates the indexes of existing tables
-- before the migration, without blocking writes: see online-indexes.ts.
CREATE INDEX IF NOT EXISTS "accounts_any_case" ON "accounts" USING btree (lower("name"));