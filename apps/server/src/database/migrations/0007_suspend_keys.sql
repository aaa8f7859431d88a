ALTER TYPE "public"."audit_action" ADD VALUE 'key.suspended' BEFORE 'key.unbanned';--> statement-breakpoint
ALTER TYPE "public"."audit_action" ADD VALUE 'key.resumed' BEFORE 'key.unbanned';--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "suspended_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "suspension_reason" text;--> statement-breakpoint
CREATE INDEX "api_keys_suspended" ON "api_keys" USING btree ("created_at","id") WHERE "api_keys"."suspended_at" is not null;--> statement-breakpoint
CREATE INDEX "api_keys_suspended_plan" ON "api_keys" USING btree ("plan","created_at","id") WHERE "api_keys"."suspended_at" is not null;