-- By hand: `IF NOT EXISTS`, because indexes of tables that exist are created before, without holding up writes.
CREATE INDEX IF NOT EXISTS "accounts_naturally" ON "accounts" USING btree (rtrim("name", '0123456789'),length("name"),"name");
