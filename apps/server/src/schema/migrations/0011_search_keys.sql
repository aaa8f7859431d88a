-- The groups of three characters of a text, for an index that finds texts from the middle of a word. The
-- extension pg_trgm does the same, and as fast, but who migrates may not be allowed to create extensions, and
-- a data directory that has one opens only where it is installed.
CREATE OR REPLACE FUNCTION search_grams(whole text) RETURNS text[] IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
  AS $$ SELECT array(SELECT DISTINCT substr(whole, n, 3) FROM generate_series(1, length(whole) - 2) n) $$;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_search" ON "api_keys" USING gin (search_grams(lower(coalesce("name", '') || chr(10) || coalesce("account", ''))));
