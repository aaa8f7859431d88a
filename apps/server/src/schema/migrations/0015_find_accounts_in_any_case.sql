-- `IF NOT EXISTS` is written by hand. The service creates the indexes of existing tables before the
-- migration, so that writes are not blocked: see online-indexes.ts.
CREATE INDEX IF NOT EXISTS "accounts_any_case" ON "accounts" USING btree (lower("name"));