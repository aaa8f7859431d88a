-- This statement is written by hand. The previous migration (0009) adds the constraint as NOT
-- VALID. If the previous migration also validated the constraint, it would check all API keys while
-- its lock blocks reads.
ALTER TABLE "api_keys" VALIDATE CONSTRAINT "api_keys_scopes";--> statement-breakpoint
ALTER TYPE "public"."audit_action" ADD VALUE 'account.changed' BEFORE 'ban.started';--> statement-breakpoint
ALTER TYPE "public"."audit_action" ADD VALUE 'account.suspended' BEFORE 'ban.started';--> statement-breakpoint
ALTER TYPE "public"."audit_action" ADD VALUE 'account.resumed' BEFORE 'ban.started';--> statement-breakpoint
ALTER TYPE "public"."audit_subject_type" ADD VALUE 'account';--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"plan" "plan_name",
	"per_minute" integer,
	"per_day" integer,
	"suspended_at" timestamp with time zone,
	"suspension_reason" text,
	CONSTRAINT "accounts_quota" CHECK (case when "accounts"."plan" = 'enterprise' then "accounts"."per_minute" > 0 and "accounts"."per_day" > 0 and "accounts"."per_minute" is not null and "accounts"."per_day" is not null else "accounts"."per_minute" is null and "accounts"."per_day" is null end)
);
--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_name" ON "accounts" USING btree ("name");--> statement-breakpoint
CREATE INDEX "accounts_plan" ON "accounts" USING btree ("plan","name") WHERE "accounts"."plan" is not null;--> statement-breakpoint
CREATE INDEX "accounts_suspended" ON "accounts" USING btree ("name") WHERE "accounts"."suspended_at" is not null;