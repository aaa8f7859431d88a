import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrationsFolder } from './migration-options.ts';

// During a deployment, replicas of the previous version use the database that the new version has
// migrated. So a migration may only add to the schema, and a later release removes what is no
// longer needed.
//
// The old replicas also serve requests while a migration runs. A migration keeps its locks until it
// ends, so it must not read or write a whole table.

/**
 * The first migration that the test checks. Earlier migrations were reviewed when they were added.
 * Their commits explain why old replicas work with them.
 */
const firstChecked = '0018';

/**
 * The reviewed exceptions by file: the beginnings of statements that change more than they add, or
 * that take long. Each comment says why replicas of the previous version still work after the
 * statement. Check that they do before you add an exception.
 */
const reviewed: Readonly<Record<string, readonly string[]>> = {
  // Creating a trigger takes no time. The triggers write only the new column `search`, which old
  // replicas neither read nor write.
  '0018_store_search_texts.sql': [
    'CREATE FUNCTION "folded_text"',
    ...['CREATE FUNCTION "write_', 'CREATE TRIGGER "api_keys_write_search"'],
    ...['CREATE TRIGGER "accounts_write_search"', 'CREATE TRIGGER "audit_entries_write_search"'],
    ...['api_keys', 'accounts', 'audit_entries'].map(
      (table) => `ALTER TABLE "${table}" ADD COLUMN "search" text COLLATE "C"`,
    ),
    // This statement replaces a trigger function, which takes no lock on a table. The new function
    // refuses the same changes as before, but allows filling the search text of an entry that has
    // none.
    'CREATE OR REPLACE FUNCTION "refuse_audit_change"',
  ],
};

test('new migrations only add to the schema and take no long locks, except in reviewed statements', () => {
  const files = readdirSync(migrationsFolder).filter((file) => file.endsWith('.sql'));
  expect(files.length).toBeGreaterThan(4);
  for (const file of files.filter((name) => name >= firstChecked)) {
    const risky = riskyStatementsOf(readFileSync(join(migrationsFolder, file), 'utf8'));
    const exceptions = reviewed[file] ?? [];
    expect(
      risky.filter((text) => !exceptions.some((beginning) => text.startsWith(beginning))),
    ).toEqual([]);
  }
});

const then = ';\n--> statement-breakpoint\n';

test.each([
  'ALTER TABLE "pets" DROP COLUMN "name"',
  '-- harmless\nDROP TABLE "pets"',
  'ALTER TABLE "pets" ADD COLUMN "owner" text NOT NULL',
  'ALTER TABLE "pets" ADD COLUMN "owner" uuid DEFAULT gen_random_uuid() NOT NULL',
  'ALTER TABLE "pets" ADD COLUMN "owner" bigserial',
  'ALTER TABLE "pets" ADD COLUMN "a" text, DROP COLUMN "name"',
  'CREATE INDEX "names" ON "pets" USING btree ("name")',
  'CREATE TABLE "x" ("id" integer); DROP TABLE "pets"',
  // A foreign key blocks writes to the table that it refers to while it is created.
  'CREATE TABLE "x" ("pet_id" bigint REFERENCES "pets"("id"))',
  // ALTER TABLE locks the table until the migration ends. An index in the same migration would
  // block reads until the index is complete.
  `ALTER TABLE "pets" ADD COLUMN "a" text${then}CREATE INDEX IF NOT EXISTS "i" ON "pets" ("a")`,
  `ALTER TABLE "pets" ADD COLUMN "a" text${then}UPDATE "pets" SET "a" = '' WHERE "a" IS NULL`,
  'UPDATE "pets" SET "name" = lower("name")',
])('riskyStatementsOf reports the migration statement %s as risky', (sql) => {
  expect(riskyStatementsOf(`${sql};`)).toHaveLength(1);
});

test.each([
  'CREATE INDEX IF NOT EXISTS "names" ON "pets" USING btree ("name")',
  'CREATE TYPE "t" AS ENUM (\'a\')',
  'UPDATE "pets" SET "a" = \'\' WHERE "a" IS NULL',
  'ALTER TABLE "pets" ADD COLUMN "price" numeric(9, 2)',
  'ALTER TABLE "pets" ADD COLUMN "owner" text DEFAULT \'nobody\' NOT NULL',
  `CREATE TABLE "x" (\n\t"id" integer NOT NULL\n)${then}CREATE UNIQUE INDEX "i" ON "x" ("id")`,
])('riskyStatementsOf does not report the migration statement %s', (sql) => {
  expect(riskyStatementsOf(`${sql};`)).toEqual([]);
});

/**
 * Returns the statements of a migration that need a review. All other statements have one of the
 * few forms of drizzle-kit that add to the schema without a long lock.
 */
function riskyStatementsOf(sql: string): string[] {
  const statements = sql
    .split('--> statement-breakpoint')
    .map((text) => text.replaceAll(/^\s*--.*$/gm, '').trim());
  const namesOf = (pattern: RegExp) => statements.map((text) => pattern.exec(text)?.[1]);
  const created = namesOf(/^CREATE TABLE (\S+)/);
  const altered = namesOf(/^ALTER TABLE (\S+)/);
  return statements.filter((text) => {
    if (/;./s.test(text) || text.includes('REFERENCES')) return true;
    // The service creates this index without a lock before the migration runs: see
    // `online-indexes.ts`.
    const online = /^CREATE INDEX IF NOT EXISTS "\w+" ON (\S+)/.exec(text)?.[1];
    if (online !== undefined) return altered.includes(online);
    // An UPDATE may fill a column that the same migration adds. `fill-in-batches.ts` fills this
    // column before the migration runs, so the UPDATE changes only a few rows.
    const filled = /^UPDATE (\S+) SET [^;]+ WHERE "\w+" IS NULL;?$/.exec(text)?.[1];
    if (filled !== undefined) return altered.includes(filled);
    const indexed = /^CREATE (?:UNIQUE )?INDEX "\w+" ON (\S+)/.exec(text)?.[1];
    if (indexed !== undefined) return !created.includes(indexed);
    return !/^(CREATE (TYPE|TABLE) \S+ (AS ENUM )?\([^;]*\)|ALTER TABLE \S+ ADD COLUMN "\w+" (?!\w*serial)[a-z]+(\([\d, ]+\))?( DEFAULT [^(),;]+ NOT NULL)?);?$/.test(
      text,
    );
  });
}
