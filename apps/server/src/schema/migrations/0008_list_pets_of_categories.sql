CREATE INDEX IF NOT EXISTS "pets_category_status_id" ON "pets" USING btree ("category_id","status","id");--> statement-breakpoint
-- The indexes in this file are added by hand, for columns of the previous migration (0007). The
-- previous migration locks the table of API keys. If it also created the indexes, it would block
-- reads for a long time.
CREATE INDEX IF NOT EXISTS "api_keys_suspended" ON "api_keys" USING btree ("created_at","id") WHERE "api_keys"."suspended_at" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_suspended_plan" ON "api_keys" USING btree ("plan","created_at","id") WHERE "api_keys"."suspended_at" is not null;