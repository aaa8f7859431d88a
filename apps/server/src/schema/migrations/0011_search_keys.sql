-- Returns the groups of three characters of a text, for an index that finds texts in the middle of
-- a word. The extension pg_trgm does the same at the same speed. It is not used here, because the
-- role that migrates may not be allowed to create extensions. Also, a data directory with the
-- extension can only be opened where the extension is installed.
CREATE OR REPLACE FUNCTION search_grams(whole text) RETURNS text[] IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
  AS $$ SELECT array(SELECT DISTINCT substr(whole, n, 3) FROM generate_series(1, length(whole) - 2) n) $$;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "api_keys_search" ON "api_keys" USING gin (search_grams(lower(coalesce("name", '') || chr(10) || coalesce("account", ''))));
