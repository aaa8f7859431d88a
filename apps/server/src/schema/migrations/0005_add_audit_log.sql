CREATE TYPE "public"."audit_action" AS ENUM('key.created', 'key.changed', 'key.rotated', 'key.revoked', 'key.unbanned', 'ban.started', 'ban.ended', 'operator.created', 'operator.rotated', 'operator.revoked');--> statement-breakpoint
CREATE TYPE "public"."audit_actor_type" AS ENUM('operator', 'admin_token', 'local_user', 'system');--> statement-breakpoint
CREATE TYPE "public"."audit_subject_type" AS ENUM('key', 'operator');--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9007199254740991 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"actor_type" "audit_actor_type" NOT NULL,
	"actor_id" uuid,
	"actor_name" text NOT NULL,
	"action" "audit_action" NOT NULL,
	"subject_type" "audit_subject_type" NOT NULL,
	"subject_id" uuid NOT NULL,
	"subject_name" text,
	"account" text,
	"before" jsonb NOT NULL,
	"after" jsonb NOT NULL,
	"request_id" text,
	"reason" text
);
--> statement-breakpoint
CREATE TABLE "open_bans" (
	"key_id" uuid NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "open_bans_key_id_started_at_pk" PRIMARY KEY("key_id","started_at")
);
--> statement-breakpoint
CREATE INDEX "audit_entries_at" ON "audit_entries" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_subject" ON "audit_entries" USING btree ("subject_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_actor" ON "audit_entries" USING btree ("actor_type","actor_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_account" ON "audit_entries" USING btree ("account","at","id") WHERE "audit_entries"."account" is not null;--> statement-breakpoint
CREATE INDEX "audit_entries_action" ON "audit_entries" USING btree ("action","at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "audit_entries_ban_start" ON "audit_entries" USING btree ("subject_id","at") WHERE "audit_entries"."action" = 'ban.started';--> statement-breakpoint
CREATE INDEX "open_bans_until" ON "open_bans" USING btree ("until");--> statement-breakpoint
-- This trigger is written by hand, because drizzle-kit does not support triggers. It makes the
-- audit log append-only. Not even the owner of the database can change an entry by accident.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		-- 400 days is the retention period `auditRetentionDays`.
		IF OLD."at" < now() - interval '400 days' THEN
			RETURN OLD;
		END IF;
	END IF;
	RAISE EXCEPTION 'audit entries cannot be changed, nor deleted before 400 days' USING ERRCODE = 'restrict_violation';
END $$;--> statement-breakpoint
CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();--> statement-breakpoint
CREATE TRIGGER "audit_entries_no_truncate" BEFORE TRUNCATE ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();--> statement-breakpoint
-- `IF NOT EXISTS` is written by hand. The service creates the indexes of existing tables before the
-- migration, so that writes are not blocked: see online-indexes.ts.
CREATE INDEX IF NOT EXISTS "api_keys_plan" ON "api_keys" USING btree ("plan","created_at","id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_account" ON "api_keys" USING btree ("account","created_at","id") WHERE "api_keys"."account" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_name" ON "api_keys" USING btree (lower("name") collate "C","id") WHERE "api_keys"."name" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_revoked" ON "api_keys" USING btree ("created_at","id") WHERE "api_keys"."revoked_at" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_revoked_plan" ON "api_keys" USING btree ("plan","created_at","id") WHERE "api_keys"."revoked_at" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_expiry" ON "api_keys" USING btree ("expires_at","id") WHERE "api_keys"."revoked_at" is null and "api_keys"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_expiry_plan" ON "api_keys" USING btree ("plan","expires_at","id") WHERE "api_keys"."revoked_at" is null and "api_keys"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_tokens_prefix" ON "api_tokens" USING btree ("prefix");--> statement-breakpoint
-- The rest of this file is written by hand. Each API key gets a row in "last_used" when it is
-- created, so that the same index also finds keys that were never used. A trigger inserts the row,
-- because replicas of the previous version also create keys, but do not insert the row.
ALTER TABLE "usage"."last_used" ALTER COLUMN "at" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "usage"."last_used" ADD COLUMN "created_at" timestamp with time zone;--> statement-breakpoint
CREATE FUNCTION "usage"."note_new_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "usage"."last_used" ("key_id", "created_at") VALUES (NEW."id", NEW."created_at")
	ON CONFLICT ("key_id") DO NOTHING;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "api_keys_note_new_key" AFTER INSERT ON "api_keys" FOR EACH ROW EXECUTE FUNCTION "usage"."note_new_key"();--> statement-breakpoint
INSERT INTO "usage"."last_used" ("key_id", "created_at") SELECT "id", "created_at" FROM "api_keys" ORDER BY "id"
ON CONFLICT ("key_id") DO NOTHING;--> statement-breakpoint
DROP INDEX "usage"."last_used_at";--> statement-breakpoint
DROP INDEX "usage"."last_used_deprecated_at";--> statement-breakpoint
CREATE INDEX "last_used_idle_since" ON "usage"."last_used" USING btree (coalesce("at", "created_at"),"key_id");--> statement-breakpoint
CREATE INDEX "last_used_deprecated_at" ON "usage"."last_used" USING btree ("deprecated_at","key_id") WHERE "deprecated_at" IS NOT NULL;
