import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrationsFolder } from './migration-options.ts';

// While a new version is rolled out, replicas of the version before run on the database that the new
// one has migrated. So a migration only adds; what is no longer needed is removed by a later release. And
// they run while it migrates: a lock of a table that requests read is kept until the migration ends, so
// nothing in it reads or writes a whole table.

/** The migrations before this one were judged when they were added: their commits say why old replicas bear them. */
const firstToJudge = '0018';

/**
 * Beginnings of statements that do not only add, or take long, by file, and why replicas of the version before
 * bear them. Whoever adds one here has read what those replicas do.
 */
const reviewed: Readonly<Record<string, readonly string[]>> = {
  // A trigger is created in no time, and writes a column that they neither read nor write.
  '0018_store_search_texts.sql': [
    'CREATE FUNCTION "folded_text"',
    ...['CREATE FUNCTION "write_', 'CREATE TRIGGER "api_keys_write_search"'],
    ...['CREATE TRIGGER "accounts_write_search"', 'CREATE TRIGGER "audit_entries_write_search"'],
    ...['api_keys', 'accounts', 'audit_entries'].map(
      (table) => `ALTER TABLE "${table}" ADD COLUMN "search" text COLLATE "C"`,
    ),
    // It refuses what it refused before, but lets a text be written where there is none.
    'CREATE OR REPLACE FUNCTION "refuse_audit_change"',
  ],
};

test('new migrations only add and lock nothing for long, except for what was reviewed', () => {
  const files = readdirSync(migrationsFolder).filter((file) => file.endsWith('.sql'));
  expect(files.length).toBeGreaterThan(4);
  for (const file of files.filter((name) => name >= firstToJudge)) {
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
  // A foreign key locks the table that it leads to against writes.
  'CREATE TABLE "x" ("pet_id" bigint REFERENCES "pets"("id"))',
  // Nobody reads the table until the index is complete.
  `ALTER TABLE "pets" ADD COLUMN "a" text${then}CREATE INDEX IF NOT EXISTS "i" ON "pets" ("a")`,
  `ALTER TABLE "pets" ADD COLUMN "a" text${then}UPDATE "pets" SET "a" = '' WHERE "a" IS NULL`,
  'UPDATE "pets" SET "name" = lower("name")',
])('old replicas do not bear %s', (sql) => {
  expect(riskyStatementsOf(`${sql};`)).toHaveLength(1);
});

test.each([
  'CREATE INDEX IF NOT EXISTS "names" ON "pets" USING btree ("name")',
  'CREATE TYPE "t" AS ENUM (\'a\')',
  'UPDATE "pets" SET "a" = \'\' WHERE "a" IS NULL',
  'ALTER TABLE "pets" ADD COLUMN "price" numeric(9, 2)',
  'ALTER TABLE "pets" ADD COLUMN "owner" text DEFAULT \'nobody\' NOT NULL',
  `CREATE TABLE "x" (\n\t"id" integer NOT NULL\n)${then}CREATE UNIQUE INDEX "i" ON "x" ("id")`,
])('old replicas bear %s', (sql) => {
  expect(riskyStatementsOf(`${sql};`)).toEqual([]);
});

/**
 * The statements of a migration that are not, in the form of drizzle-kit, one of the few that add without a long
 * lock. Any other is to be reviewed.
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
    // Created before the migration, without a lock: see `online-indexes.ts`.
    const online = /^CREATE INDEX IF NOT EXISTS "\w+" ON (\S+)/.exec(text)?.[1];
    if (online !== undefined) return altered.includes(online);
    // Filled before the migration, in batches: see `fill-in-batches.ts`.
    const filled = /^UPDATE (\S+) SET [^;]+ WHERE "\w+" IS NULL;?$/.exec(text)?.[1];
    if (filled !== undefined) return altered.includes(filled);
    const indexed = /^CREATE (?:UNIQUE )?INDEX "\w+" ON (\S+)/.exec(text)?.[1];
    if (indexed !== undefined) return !created.includes(indexed);
    return !/^(CREATE (TYPE|TABLE) \S+ (AS ENUM )?\([^;]*\)|ALTER TABLE \S+ ADD COLUMN "\w+" (?!\w*serial)[a-z]+(\([\d, ]+\))?( DEFAULT [^(),;]+ NOT NULL)?);?$/.test(
      text,
    );
  });
}
