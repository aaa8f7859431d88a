-- This migration is written by hand. The column "search" contains the searchable text of a row, in
-- lower case and without diacritics. So a search of a million API keys does not convert their
-- texts. Triggers write the column, because replicas of the previous version do not. The column is
-- not in schema.ts, because only searches read it. The next migration (0019) fills it.
CREATE FUNCTION "folded_text"("whole" text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	-- ASCII text has no diacritics, so it is only converted to lower case, which takes a ninth of
	-- the time.
	SELECT CASE WHEN octet_length("whole") = length("whole") THEN lower("whole" COLLATE "C")
		ELSE translate(lower("whole"),
			'àáâãäåçèéêëìíîïñòóôõöùúûüýÿāăąćĉċčďēĕėęěĝğġģĥĩīĭįĵķĺļľńņňōŏőŕŗřśŝşšţťũūŭůűųŵŷźżž',
			'aaaaaaceeeeiiiinooooouuuuyyaaaccccdeeeeegggghiiiijklllnnnooorrrssssttuuuuuuwyzzz')
	END
$$;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "search" text COLLATE "C";--> statement-breakpoint
CREATE FUNCTION "write_key_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- A line feed separates the texts, so that no search matches the end of one text together with
	-- the start of the next.
	NEW."search" := folded_text(concat_ws(chr(10), NEW."name", NEW."account"));
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "api_keys_write_search" BEFORE INSERT OR UPDATE ON "api_keys" FOR EACH ROW EXECUTE FUNCTION "write_key_search"();--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "search" text COLLATE "C";--> statement-breakpoint
CREATE FUNCTION "write_account_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."search" := folded_text(NEW."name");
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "accounts_write_search" BEFORE INSERT OR UPDATE ON "accounts" FOR EACH ROW EXECUTE FUNCTION "write_account_search"();--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "search" text COLLATE "C";--> statement-breakpoint
CREATE FUNCTION "write_audit_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."search" := folded_text(concat_ws(chr(10), NEW."reason", NEW."subject_name", NEW."account", NEW."actor_name"));
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "audit_entries_write_search" BEFORE INSERT OR UPDATE ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "write_audit_search"();--> statement-breakpoint
-- An UPDATE may fill the search text of an entry that has none, if it changes nothing else. The
-- trigger above then writes the text. The text depends only on the entry, so nobody can store
-- another text. This trigger runs before the trigger above, because triggers run in the order of
-- their names.
CREATE OR REPLACE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		-- 400 days is the retention period `auditRetentionDays`.
		IF OLD."at" < now() - interval '400 days' THEN
			RETURN OLD;
		END IF;
	ELSIF TG_OP = 'UPDATE' THEN
		IF OLD."search" IS NULL THEN
			NEW."search" := NULL;
			IF NEW IS NOT DISTINCT FROM OLD THEN
				RETURN NEW;
			END IF;
		END IF;
	END IF;
	RAISE EXCEPTION 'audit entries cannot be changed, nor deleted before 400 days' USING ERRCODE = 'restrict_violation';
END $$;
