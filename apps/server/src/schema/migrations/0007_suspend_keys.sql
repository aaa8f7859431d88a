ALTER TYPE "public"."audit_action" ADD VALUE 'key.suspended' BEFORE 'key.unbanned';--> statement-breakpoint
ALTER TYPE "public"."audit_action" ADD VALUE 'key.resumed' BEFORE 'key.unbanned';--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "suspended_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "suspension_reason" text;
