CREATE INDEX IF NOT EXISTS "pets_category_status_id" ON "pets" USING btree ("category_id","status","id");--> statement-breakpoint
-- By hand: they belong to the migration before, whose columns they are of. There they would be created while
-- nobody can read the keys.
CREATE INDEX IF NOT EXISTS "api_keys_suspended" ON "api_keys" USING btree ("created_at","id") WHERE "api_keys"."suspended_at" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_suspended_plan" ON "api_keys" USING btree ("plan","created_at","id") WHERE "api_keys"."suspended_at" is not null;