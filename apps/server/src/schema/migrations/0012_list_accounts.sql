-- By hand: a row for each account that a key has or had, so that accounts are found by their names. By a
-- trigger, so that accounts of keys that replicas of the version before write get one, too.
CREATE FUNCTION "note_account"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "accounts" ("name") VALUES (NEW."account") ON CONFLICT ("name") DO NOTHING;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "api_keys_note_account" AFTER INSERT OR UPDATE OF "account" ON "api_keys" FOR EACH ROW WHEN (NEW."account" IS NOT NULL) EXECUTE FUNCTION "note_account"();--> statement-breakpoint
INSERT INTO "accounts" ("name") SELECT DISTINCT "account" FROM "api_keys" WHERE "account" IS NOT NULL
ON CONFLICT ("name") DO NOTHING;
