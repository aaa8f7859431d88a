-- By hand: what searches look into is written, in small letters without marks, so that a search of a million keys
-- folds none of them. By triggers, so that replicas of the version before write it, too. The columns are not in
-- schema.ts, because nothing but a search reads them. The next migration fills them.
CREATE FUNCTION "folded_text"("whole" text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	-- ASCII has no marks, and takes a ninth of the time.
	SELECT CASE WHEN octet_length("whole") = length("whole") THEN lower("whole" COLLATE "C")
		ELSE translate(lower("whole"),
			'àáâãäåçèéêëìíîïñòóôõöùúûüýÿāăąćĉċčďēĕėęěĝğġģĥĩīĭįĵķĺļľńņňōŏőŕŗřśŝşšţťũūŭůűųŵŷźżž',
			'aaaaaaceeeeiiiinooooouuuuyyaaaccccdeeeeegggghiiiijklllnnnooorrrssssttuuuuuuwyzzz')
	END
$$;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "search" text COLLATE "C";--> statement-breakpoint
CREATE FUNCTION "write_key_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- No text has a line feed, so none is found across two.
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
-- An entry gets its text once. It is the one that the trigger above writes: of what follows from the entry alone,
-- nobody can store something else. This trigger comes first, because triggers run in the order of their names.
CREATE OR REPLACE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		-- The retention, as in `auditRetentionDays`.
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
