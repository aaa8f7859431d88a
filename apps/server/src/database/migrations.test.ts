import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrationsFolder } from './migration-check.ts';

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
const reviewed: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

test('new migrations only add and lock nothing for long, except for what was reviewed', () => {
  const files = readdirSync(migrationsFolder).filter((file) => file.endsWith('.sql'));
  expect(files.length).toBeGreaterThan(4);
  for (const file of files.filter((name) => name >= firstToJudge)) {
    const exceptions = Object.keys(reviewed[file] ?? {});
    const risky = riskyStatementsOf(readFileSync(join(migrationsFolder, file), 'utf8'));
    const isReviewed = (statement: string) =>
      exceptions.some((beginning) => statement.startsWith(beginning));
    expect(risky.filter((statement) => !isReviewed(statement))).toEqual([]);
  }
});

describe('what replicas of the version before would not bear', () => {
  test.each([
    'DROP TABLE "pets"',
    'ALTER TABLE "pets" DROP COLUMN "name"',
    'ALTER TABLE "pets" RENAME COLUMN "name" TO "title"',
    'ALTER TABLE "pets" RENAME TO "animals"',
    'ALTER TABLE "pets" ALTER COLUMN "name" SET NOT NULL',
    'ALTER TABLE "pets" ALTER COLUMN "name" SET DATA TYPE integer',
    'ALTER TABLE "pets" ADD COLUMN "owner" text NOT NULL',
    'ALTER TABLE "pets" ADD CONSTRAINT "short" CHECK (char_length(name) < 9)',
    'ALTER TYPE "pet_status" ADD VALUE \'lost\'',
    'ALTER TABLE "pets" ADD COLUMN "owner" uuid DEFAULT gen_random_uuid() NOT NULL',
    'ALTER TABLE "pets" ADD COLUMN "owner" bigserial',
    'ALTER TABLE "pets" ADD COLUMN "owner" text GENERATED ALWAYS AS (upper("name")) STORED',
    'ALTER TABLE "pets" ADD COLUMN "owner" text UNIQUE',
    'ALTER TABLE "pets" ADD COLUMN "owner" uuid REFERENCES "owners" ("id")',
    'ALTER TABLE "pets" ADD COLUMN "age" integer CHECK ("age" > 0)',
    'ALTER TABLE "pets" ADD COLUMN "a" text;--> statement-breakpoint\nCREATE INDEX IF NOT EXISTS "i" ON "pets" ("a")',
    'ALTER TABLE "pets" ADD COLUMN "a" text;--> statement-breakpoint\nALTER TABLE "pets" VALIDATE CONSTRAINT "c"',
    'REINDEX TABLE "pets"',
    'CREATE UNIQUE INDEX "one_name" ON "pets" USING btree ("name")',
    'CREATE INDEX "names" ON "pets" USING btree ("name")',
    'CREATE UNIQUE INDEX IF NOT EXISTS "one_name" ON "pets" USING btree ("name")',
    'UPDATE "pets" SET "name" = \'x\'',
    'DELETE FROM "pets"',
    'TRUNCATE "pets"',
    'alter table "pets" drop column "name"',
    '-- harmless\nDROP TABLE "pets"',
    'CREATE TABLE "x" ("id" integer); DROP TABLE "pets"',
    'CREATE FUNCTION "f"() RETURNS integer AS $$ SELECT 1; $$ LANGUAGE sql; DROP TABLE "pets"',
    'CREATE FUNCTION "f"() RETURNS integer AS $a$ SELECT 1; $a$ LANGUAGE sql; UPDATE "pets" SET "name" = $$x$$',
    `CREATE FUNCTION "f"() RETURNS text AS 'SELECT 1;' LANGUAGE sql; DROP TABLE "pets"`,
    'ALTER TABLE "pets" ADD COLUMN "a" text, DROP COLUMN "name"',
    'ALTER TABLE "pets" ADD COLUMN "a" numeric(9, 2), ALTER COLUMN "name" SET NOT NULL',
    'ALTER TABLE "pets" VALIDATE CONSTRAINT "short", DROP COLUMN "name"',
    'CREATE TABLE "x" ("pet_id" bigint REFERENCES "pets"("id"))',
    'CREATE TABLE "x" ("pet_id" bigint, FOREIGN KEY ("pet_id") REFERENCES "public"."pets" ("id"))',
    'CREATE TABLE "x" ("id" bigint);--> statement-breakpoint\nALTER TABLE "x" ADD CONSTRAINT "c" FOREIGN KEY ("id") REFERENCES "public"."pets"("id")',
    'CREATE TABLE "x" AS SELECT * FROM "pets"',
    'CREATE TABLE "x" () INHERITS ("pets")',
    'CREATE TABLE "x" PARTITION OF "pets" DEFAULT',
  ])('is noticed: %s', (statement) => {
    expect(riskyStatementsOf(statement)).not.toEqual([]);
  });

  test.each([
    'CREATE TABLE "x" ("id" integer NOT NULL)',
    'CREATE INDEX IF NOT EXISTS "names" ON "pets" USING btree ("name")',
    'CREATE TYPE "t" AS ENUM (\'a\')',
    "CREATE FUNCTION \"f\"() RETURNS text AS $$ SELECT 'a'; SELECT 'b'; $$ LANGUAGE sql;",
    'ALTER TABLE "pets" ADD COLUMN "price" numeric(9, 2)',
    `ALTER TABLE "pets" ADD COLUMN "owner" text DEFAULT 'a, b; UNIQUE (c)' NOT NULL`,
    'CREATE TABLE "x" ("id" bigint PRIMARY KEY);--> statement-breakpoint\nCREATE TABLE "y" ("x" bigint REFERENCES "public"."x"("id")) PARTITION BY RANGE ("x")',
    'ALTER TABLE "pets" ADD COLUMN "owner" varchar(9)',
    'ALTER TABLE "pets" VALIDATE CONSTRAINT "short"',
    'ALTER TABLE "pets" ADD COLUMN "owner" text DEFAULT \'nobody\' NOT NULL',
    'CREATE TABLE "x" ("id" integer);--> statement-breakpoint\nCREATE UNIQUE INDEX "i" ON "x" ("id");--> statement-breakpoint\nALTER TABLE "x" ADD CONSTRAINT "c" CHECK (id > 0);',
  ])('is not: %s', (sql) => {
    expect(riskyStatementsOf(sql)).toEqual([]);
  });
});

/** The statements of a migration that do not only add. */
function riskyStatementsOf(sql: string): string[] {
  const statements = sql
    .split('--> statement-breakpoint')
    .map((text) =>
      text
        .replaceAll(/^\s*--.*$/gm, '')
        .replaceAll('"public".', '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .map((text) => text.replace(/;$/, ''))
    .filter((text) => text !== '');
  const namesOf = (pattern: RegExp) =>
    new Set(statements.map((text) => pattern.exec(text)?.[1]).filter((name) => name));
  const created = namesOf(/^CREATE TABLE (\S+)/i);
  const altered = namesOf(/^ALTER TABLE (\S+) (?!VALIDATE)/i);
  return statements.filter((text) => !isHarmless(text, { created, altered }));
}

interface Tables {
  /** Those that the same migration creates: nothing is in them yet. */
  readonly created: ReadonlySet<string | undefined>;
  /** Those that nobody reads until the migration ends. */
  readonly altered: ReadonlySet<string | undefined>;
}

/** What a new column may be, so that no row is read or written for it: a type, and a constant. */
const newColumn = /^(?!.*(?:serial|GENERATED|REFERENCES|CHECK|UNIQUE|PRIMARY|DEFAULT .*\())/i;

/** Texts, among them bodies of functions. They may hold what elsewhere is another statement or action. */
const texts = /(\$\w*\$).*?\1|'(?:[^'\\]|'')*'/g;

function isHarmless(whole: string, { created, altered }: Tables): boolean {
  const statement = whole.replaceAll(texts, "''");
  // Two statements without a breakpoint in between, or an action beside the one that is looked at.
  if (statement.includes(';')) return false;
  if (/^ALTER /i.test(statement) && statement.replaceAll(/\([^()]*\)/g, '').includes(','))
    return false;
  // A foreign key locks the table that it leads to against writes.
  const targets = [...statement.matchAll(/ REFERENCES ("[^"]+"|[^ (]+)/gi)].map(([, name]) => name);
  if (!targets.every((name) => created.has(name))) return false;
  if (/^CREATE (FUNCTION|SCHEMA|SEQUENCE|TYPE|VIEW) /i.test(statement)) return true;
  if (/^CREATE TABLE \S+ \((?!.* INHERITS ).*\)(?: PARTITION BY .*)?$/i.test(statement))
    return true;
  const lockingLittle =
    // Created before the migration, without a lock: see `online-indexes.ts`.
    /^CREATE INDEX IF NOT EXISTS \S+ ON (\S+)/i.exec(statement)?.[1] ??
    /^ALTER TABLE (\S+) VALIDATE CONSTRAINT /i.exec(statement)?.[1];
  if (lockingLittle !== undefined) return created.has(lockingLittle) || !altered.has(lockingLittle);
  const table =
    /^CREATE (?:UNIQUE )?INDEX \S+ ON (\S+)/i.exec(statement)?.[1] ??
    /^CREATE TRIGGER .+? ON (\S+)/i.exec(statement)?.[1] ??
    /^ALTER TABLE (\S+) ADD CONSTRAINT /i.exec(statement)?.[1];
  if (table !== undefined) return created.has(table);
  const column = /^ALTER TABLE \S+ ADD COLUMN (.+)$/i.exec(statement)?.[1];
  if (column === undefined || !newColumn.test(column)) return false;
  return !/NOT NULL/i.test(column) || /DEFAULT/i.test(column);
}
