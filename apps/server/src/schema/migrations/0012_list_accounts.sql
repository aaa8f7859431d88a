-- This migration is written by hand. Each account that an API key has or had gets a row, so that
-- accounts can be found by their names. A trigger inserts the row, because replicas of the previous
-- version write API keys without inserting the row.
CREATE FUNCTION "note_account"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "accounts" ("name") VALUES (NEW."account") ON CONFLICT ("name") DO NOTHING;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "api_keys_note_account" AFTER INSERT OR UPDATE OF "account" ON "api_keys" FOR EACH ROW WHEN (NEW."account" IS NOT NULL) EXECUTE FUNCTION "note_account"();--> statement-breakpoint
INSERT INTO "accounts" ("name") SELECT DISTINCT "account" FROM "api_keys" WHERE "account" IS NOT NULL
ON CONFLICT ("name") DO NOTHING;
