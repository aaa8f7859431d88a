CREATE TYPE "public"."key_scope" AS ENUM('pets:read', 'pets:write');--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "scopes" "key_scope"[] DEFAULT '{"pets:read","pets:write"}' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scopes" CHECK (cardinality("api_keys"."scopes") > 0) NOT VALID;