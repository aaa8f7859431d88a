-- This migration is written by hand. An UPDATE of a row runs the triggers of the previous migration
-- (0018), which write the search text. Most rows are updated in batches before this migration runs,
-- so that no row is locked for long: see fill-in-batches.ts.
UPDATE "accounts" SET "search" = '' WHERE "search" IS NULL;--> statement-breakpoint
UPDATE "api_keys" SET "search" = '' WHERE "search" IS NULL;--> statement-breakpoint
UPDATE "audit_entries" SET "search" = '' WHERE "search" IS NULL;
