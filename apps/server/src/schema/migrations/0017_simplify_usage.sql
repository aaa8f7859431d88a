-- Creates the usage ledger (stored request counts) as one table, to which all replicas write. The
-- migration is written by hand: src/usage/usage-tables.ts says why. Nothing is copied from the
-- earlier tables. Instead, the view includes the counts that replicas of earlier versions write. It
-- also includes the flushes (batches of counts) that these replicas have not yet added to their
-- tables. A later release drops the earlier tables.
CREATE TABLE "usage"."counts" (
	"key_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"requests" bigint NOT NULL,
	"span" smallint NOT NULL,
	"operation" smallint NOT NULL,
	"outcome" smallint NOT NULL,
	CONSTRAINT "counts_pk" PRIMARY KEY("key_id","span","at","operation","outcome")
) WITH (fillfactor = 80);
--> statement-breakpoint
CREATE INDEX "counts_at" ON "usage"."counts" USING btree ("span","at");--> statement-breakpoint
CREATE TABLE "usage"."written" (
	"replica" uuid NOT NULL,
	"sequence" integer NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"outcomes" integer[] NOT NULL,
	"latencies" integer[] NOT NULL,
	CONSTRAINT "written_pk" PRIMARY KEY("replica","sequence")
);
--> statement-breakpoint
CREATE INDEX "written_at" ON "usage"."written" USING btree ("at");--> statement-breakpoint
CREATE VIEW "usage"."all_counts" AS
SELECT "span", "key_id", "at", "operation", "outcome", "requests" FROM "usage"."counts"
UNION ALL
SELECT 1::smallint, "key_id", "at", "operation", "outcome", "requests" FROM "usage"."minutes"
UNION ALL
SELECT 60::smallint, "key_id", "at", "operation", "outcome", "requests" FROM "usage"."hours"
UNION ALL
SELECT 1440::smallint, "key_id", "at", "operation", "outcome", "requests" FROM "usage"."days"
UNION ALL
SELECT "span", "id", to_timestamp("minute" / "span" * "span" * 60), "operation", "outcome", "entry"."requests"
FROM "usage"."flushes" "flush",
	unnest("key_ids", "plans", "minutes", "operations", "outcomes", "flush"."requests")
		AS "entry" ("key_id", "plan", "minute", "operation", "outcome", "requests"),
	unnest('{1,60,1440}'::smallint[]) "span",
	unnest(array_remove(ARRAY[
		CASE WHEN "plan" > 0 THEN "key_id" END, ('00000000-0000-0000-0000-00000000000' || "plan")::uuid
	], NULL)) "id"
WHERE "rolled_up_at" IS NULL;--> statement-breakpoint
-- The time of the last request that was refused because the API key was suspended, revoked or
-- expired, or because the token was replaced.
ALTER TABLE "usage"."last_used" ADD COLUMN "refused_at" timestamp with time zone;
