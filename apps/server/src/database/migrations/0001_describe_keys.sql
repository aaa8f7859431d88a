ALTER TABLE "api_keys" ALTER COLUMN "name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "account" text;--> statement-breakpoint
CREATE INDEX "api_keys_created_at" ON "api_keys" USING btree ("created_at","id");