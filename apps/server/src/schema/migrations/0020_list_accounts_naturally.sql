-- `IF NOT EXISTS` is written by hand, because the service creates the indexes of existing tables
-- before the migration, without blocking writes: see online-indexes.ts.
CREATE INDEX IF NOT EXISTS "accounts_naturally" ON "accounts" USING btree (rtrim("name", '0123456789'),length("name"),"name");
