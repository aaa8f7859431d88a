-- Lists and searches no longer need these indexes, because reading a million API keys takes half a
-- second, and no service has that many. Without the indexes, lists of replicas of the previous
-- version take a third of a second. These replicas still call the function search_grams, so the
-- function is not dropped.
DROP INDEX "accounts_search";--> statement-breakpoint
DROP INDEX "api_keys_search";--> statement-breakpoint
DROP INDEX "api_keys_revoked";--> statement-breakpoint
DROP INDEX "api_keys_revoked_plan";--> statement-breakpoint
DROP INDEX "api_keys_suspended";--> statement-breakpoint
DROP INDEX "api_keys_suspended_plan";--> statement-breakpoint
DROP INDEX "api_keys_expiry";--> statement-breakpoint
DROP INDEX "api_keys_expiry_plan";
