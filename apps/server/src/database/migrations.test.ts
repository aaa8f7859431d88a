import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrationsFolder } from './migrations.ts';

// While a new version is rolled out, replicas of the version before run on the database that the new
// one has migrated. So a migration only adds; what is no longer needed is removed by a later release. And
// they run while it migrates: a lock of a table that requests read is kept until the migration ends, so
// nothing in it reads or writes a whole table.

/**
 * Statements that do not only add, or take long, and why replicas of the version before bear them. Whoever
 * adds one here has read what those replicas do.
 */
const reviewed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '0001_describe_keys.sql': {
    'ALTER TABLE "api_keys" ALTER COLUMN "name" DROP NOT NULL':
      'Replicas of the version before show keys without a name, and read nothing else of it.',
    'CREATE INDEX IF NOT EXISTS "api_keys_created_at"':
      'Its columns are older than this migration.',
  },
  '0005_add_audit_log.sql': {
    'ALTER TABLE "usage"."last_used" ALTER COLUMN "at" DROP NOT NULL':
      'Only rows of unused keys have none, and the replicas before take a missing row for the same.',
    'CREATE TRIGGER "api_keys_note_new_key"':
      'Adds a row to another table for keys that the replicas before create, and changes none of theirs.',
    'INSERT INTO "usage"."last_used"': 'Adds rows of keys that were never used.',
    'DROP INDEX "usage"."last_used_at"':
      'Replaced in the same migration; no query needs it by name.',
    'DROP INDEX "usage"."last_used_deprecated_at"': 'The same.',
    'CREATE INDEX "last_used_idle_since"':
      'Blocks only the roll-up of usage, until the migration ends.',
    'CREATE INDEX "last_used_deprecated_at"': 'The same.',
  },
  '0006_sort_keys_by_name.sql': {
    'DROP INDEX "api_keys_name"':
      'Replicas of the version before search names without an index: with a million keys in a second.',
  },
  '0007_suspend_keys.sql': {
    'ALTER TYPE "public"."audit_action" ADD VALUE':
      'Replicas of the version before show an action as the log has it, and write none of the new ones.',
  },
  '0011_search_keys.sql': {
    'CREATE OR REPLACE FUNCTION search_grams':
      'No version before has it; it is created before the migration, for the index that is created online.',
  },
  '0009_scope_keys.sql': {
    'ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scopes"':
      'Keys that the replicas before create have the default, both scopes.',
  },
  '0010_add_accounts.sql': {
    'ALTER TYPE "public"."audit_action" ADD VALUE':
      'Replicas of the version before show an action as the log has it, and write none of the new ones.',
    'ALTER TYPE "public"."audit_subject_type" ADD VALUE': 'The same.',
  },
  '0012_list_accounts.sql': {
    'CREATE TRIGGER "api_keys_note_account"':
      'Adds a row to another table for keys that the replicas before write, and changes none of theirs. Blocks only changes of keys, not requests, until the migration ends.',
    'INSERT INTO "accounts"':
      'Adds rows without a plan, which the replicas before take for what they are: labels.',
  },
  '0014_hash_idempotency_keys.sql': {
    'CREATE TRIGGER "idempotency_keys_meet_hash"':
      'Makes the replicas before find a key taken that a new one has stored: they answer 409 instead of creating again. Blocks only creations with a key, for a moment.',
  },
  '0016_search_keys_without_indexes.sql': {
    'DROP INDEX "accounts_search"':
      'Replicas of the version before search without it: with a million keys in a third of a second.',
    'DROP INDEX "api_keys_search"': 'The same.',
    'DROP INDEX "api_keys_revoked"': 'The same.',
    'DROP INDEX "api_keys_revoked_plan"': 'The same.',
    'DROP INDEX "api_keys_suspended"': 'The same.',
    'DROP INDEX "api_keys_suspended_plan"': 'The same.',
    'DROP INDEX "api_keys_expiry"': 'The same.',
    'DROP INDEX "api_keys_expiry_plan"': 'The same.',
  },
};

const files = readdirSync(migrationsFolder).filter((file) => file.endsWith('.sql'));

test('there are migrations to judge', () => {
  expect(files.length).toBeGreaterThan(4);
});

test.each(files)(
  '%s only adds and locks nothing for long, except for what was reviewed',
  (file) => {
    const exceptions = Object.keys(reviewed[file] ?? {});
    const sql = readFileSync(join(migrationsFolder, file), 'utf8');
    const risky = riskyStatementsOf(sql);
    const isReviewed = (statement: string) =>
      exceptions.some((beginning) => statement.startsWith(beginning));
    expect(risky.filter((statement) => !isReviewed(statement))).toEqual([]);
    const unused = exceptions.filter(
      (beginning) => !risky.some((statement) => statement.startsWith(beginning)),
    );
    expect(unused).toEqual([]);
  },
);

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
  ])('is noticed: %s', (statement) => {
    expect(riskyStatementsOf(statement)).not.toEqual([]);
  });

  test.each([
    'CREATE TABLE "x" ("id" integer NOT NULL)',
    'CREATE INDEX IF NOT EXISTS "names" ON "pets" USING btree ("name")',
    'CREATE TYPE "t" AS ENUM (\'a\')',
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

function isHarmless(statement: string, { created, altered }: Tables): boolean {
  // Two statements without a breakpoint in between. Bodies of functions have semicolons too.
  const isFunction = /^CREATE FUNCTION /i.test(statement);
  if (!isFunction && statement.includes(';')) return false;
  if (isFunction || /^CREATE (SCHEMA|SEQUENCE|TABLE|TYPE|VIEW) /i.test(statement)) return true;
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
