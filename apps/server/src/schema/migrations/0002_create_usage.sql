-- Creates the tables in which replicas of versions before migration 0017 store request counts. The
-- migration is written by hand, because drizzle-kit does not support partitioned tables. Replicas
-- of these versions also create the partitions, and drop them after the retention period.
CREATE SCHEMA "usage";--> statement-breakpoint
CREATE TABLE "usage"."flushes" (
	"replica" uuid NOT NULL,
	"sequence" integer NOT NULL,
	"flushed_at" timestamp with time zone NOT NULL,
	"rolled_up_at" timestamp with time zone,
	"entries" integer NOT NULL,
	"key_ids" uuid[] NOT NULL,
	"plans" smallint[] NOT NULL,
	"minutes" integer[] NOT NULL,
	"operations" smallint[] NOT NULL,
	"outcomes" smallint[] NOT NULL,
	"requests" integer[] NOT NULL,
	CONSTRAINT "flushes_pk" PRIMARY KEY("flushed_at","replica","sequence")
) PARTITION BY RANGE ("flushed_at");
--> statement-breakpoint
CREATE INDEX "flushes_waiting" ON "usage"."flushes" USING btree ("flushed_at") WHERE "rolled_up_at" IS NULL;--> statement-breakpoint
CREATE TABLE "usage"."minutes" (
	"key_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"operation" smallint NOT NULL,
	"outcome" smallint NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "minutes_pk" PRIMARY KEY("key_id","at","operation","outcome")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "usage"."hours" (
	"key_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"operation" smallint NOT NULL,
	"outcome" smallint NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "hours_pk" PRIMARY KEY("key_id","at","operation","outcome")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "usage"."days" (
	"key_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"operation" smallint NOT NULL,
	"outcome" smallint NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "days_pk" PRIMARY KEY("key_id","at","operation","outcome")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "usage"."key_days" (
	"key_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"plan" smallint NOT NULL,
	"account" text,
	"requests" bigint NOT NULL,
	CONSTRAINT "key_days_pk" PRIMARY KEY("key_id","at")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE INDEX "key_days_top" ON "usage"."key_days" USING btree ("at","plan","requests" DESC,"key_id");--> statement-breakpoint
CREATE INDEX "key_days_top_of_account" ON "usage"."key_days" USING btree ("at","account","plan","requests" DESC,"key_id") WHERE "account" IS NOT NULL;--> statement-breakpoint
CREATE TABLE "usage"."last_used" (
	"key_id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"deprecated_at" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "last_used_at" ON "usage"."last_used" USING btree ("at");--> statement-breakpoint
CREATE INDEX "last_used_deprecated_at" ON "usage"."last_used" USING btree ("deprecated_at") WHERE "deprecated_at" IS NOT NULL;
