-- `IF NOT EXISTS` is written by hand. The service creates the indexes of existing tables before the
-- migration, so that writes are not blocked: see online-indexes.ts.
CREATE INDEX IF NOT EXISTS "accounts_search" ON "accounts" USING gin (search_grams(lower("name")));--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_active_of_account" ON "api_keys" USING btree ("account","expires_at") WHERE "api_keys"."revoked_at" is null and "api_keys"."account" is not null;