ALTER TABLE "api_keys" ALTER COLUMN "name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "account" text;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_created_at" ON "api_keys" USING btree ("created_at","id");