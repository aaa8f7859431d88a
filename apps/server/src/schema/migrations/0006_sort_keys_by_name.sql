CREATE INDEX IF NOT EXISTS "api_keys_sorted_name" ON "api_keys" USING btree (coalesce(lower("name") collate "C", ''),"id");--> statement-breakpoint
DROP INDEX "api_keys_name";
