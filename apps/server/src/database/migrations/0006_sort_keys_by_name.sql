DROP INDEX "api_keys_name";--> statement-breakpoint
CREATE INDEX "api_keys_sorted_name" ON "api_keys" USING btree (coalesce(lower("name") collate "C", ''),"id");