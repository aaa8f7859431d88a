-- Lists and searches of this version do not need these indexes, because reading a million API keys
-- takes half a second, and no service has that many. Replicas of the previous version still run
-- during the update. Their lists take a third of a second without the indexes. They also call the
-- function search_grams, so the function is not dropped.
DROP INDEX "accounts_search";--> statement-breakpoint
DROP INDEX "api_keys_search";--> statement-breakpoint
DROP INDEX "api_keys_revoked";--> statement-breakpoint
DROP INDEX "api_keys_revoked_plan";--> statement-breakpoint
DROP INDEX "api_keys_suspended";--> statement-breakpoint
DROP INDEX "api_keys_suspended_plan";--> statement-breakpoint
DROP INDEX "api_keys_expiry";--> statement-breakpoint
DROP INDEX "api_keys_expiry_plan";
