-- `IF NOT EXISTS` is written by hand. The service creates the indexes of existing tables before the
-- migration, so that writes are not blocked: see online-indexes.ts.
CREATE INDEX IF NOT EXISTS "api_keys_expires_at" ON "api_keys" USING btree ("expires_at","id") WHERE "api_keys"."expires_at" is not null and "api_keys"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_own_per_day" ON "api_keys" USING btree ("per_day") WHERE "api_keys"."plan" = 'enterprise';