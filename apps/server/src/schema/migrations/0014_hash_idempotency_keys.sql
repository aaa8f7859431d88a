-- This migration is written by hand. From this version on, idempotency keys are stored as hashes.
-- Replicas of the previous version store idempotency keys without hashing them, so an idempotency
-- key may have a row in either form. These functions find the row in the other form. They are
-- needed until 24 hours after the last replica of the previous version has stopped, and can then be
-- dropped. They are VOLATILE, so that they see everything that was committed before the call.
CREATE FUNCTION "stored_idempotency_key"(of_key uuid, preferred text, other text) RETURNS text VOLATILE LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM "idempotency_keys" WHERE "key_id" = of_key AND "idempotency_key" = other AND "created_at" > now() - interval '24 hours') THEN
		RETURN other;
	END IF;
	RETURN preferred;
END $$;--> statement-breakpoint
CREATE FUNCTION "meet_hashed_idempotency_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."idempotency_key" := stored_idempotency_key(NEW."key_id", NEW."idempotency_key",
		'sha256 ' || encode(sha256(convert_to(NEW."idempotency_key", 'UTF8')), 'hex'));
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "idempotency_keys_meet_hash" BEFORE INSERT ON "idempotency_keys" FOR EACH ROW WHEN (strpos(NEW."idempotency_key", ' ') = 0) EXECUTE FUNCTION "meet_hashed_idempotency_key"();
