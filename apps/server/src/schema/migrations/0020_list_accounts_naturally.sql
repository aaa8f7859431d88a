-- `IF NOT EXISTS` is written by hand. The service creates the indexes of existing tables before the
-- migration, so that writes are not blocked: see online-indexes.ts.
CREATE INDEX IF NOT EXISTS "accounts_naturally" ON "accounts" USING btree (rtrim("name", '0123456789'),length("name"),"name");
