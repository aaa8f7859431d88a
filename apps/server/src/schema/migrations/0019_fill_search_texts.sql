-- By hand. The triggers of the migration before write the texts. In batches, before this migration, so that no row is
-- locked for long: see fill-in-batches.ts.
UPDATE "accounts" SET "search" = '' WHERE "search" IS NULL;--> statement-breakpoint
UPDATE "api_keys" SET "search" = '' WHERE "search" IS NULL;--> statement-breakpoint
UPDATE "audit_entries" SET "search" = '' WHERE "search" IS NULL;
