import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrationsFolder } from './migrations.ts';

// While a new version is rolled out, replicas of the version before run on the database that the new
// one has migrated. So a migration only adds; what is no longer needed is removed by a later release.

/**
 * Statements that do not only add, and why replicas of the version before bear them. Whoever adds one
 * here has read what those replicas do.
 */
const reviewed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '0001_describe_keys.sql': {
    'ALTER TABLE "api_keys" ALTER COLUMN "name" DROP NOT NULL':
      'Replicas of the version before show keys without a name, and read nothing else of it.',
    'CREATE INDEX "api_keys_created_at"': 'Blocks only the creation of keys, for a moment.',
  },
  '0005_add_audit_log.sql': {
    'CREATE INDEX "api_keys_':
      'Blocks only changes of keys, not requests, until the migration ends.',
    'CREATE INDEX "api_tokens_prefix"': 'The same.',
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
    'CREATE INDEX "api_keys_sorted_name"':
      'Blocks only changes of keys, not requests, until the migration ends.',
  },
  '0007_suspend_keys.sql': {
    'ALTER TYPE "public"."audit_action" ADD VALUE':
      'Replicas of the version before show an action as the log has it, and write none of the new ones.',
    'CREATE INDEX "api_keys_suspended':
      'Blocks only changes of keys, not requests, until the migration ends. No key is in it yet.',
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
};

const files = readdirSync(migrationsFolder).filter((file) => file.endsWith('.sql'));

test('there are migrations to judge', () => {
  expect(files.length).toBeGreaterThan(4);
});

test.each(files)('%s only adds, except for what was reviewed', (file) => {
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
    'ALTER TABLE "pets" ADD COLUMN "owner" text',
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
  const created = new Set(
    statements.map((text) => /^CREATE TABLE (\S+)/i.exec(text)?.[1]).filter((name) => name),
  );
  return statements.filter((text) => !onlyAdds(text, created));
}

/** @param created the tables that the same migration creates: nothing is in them yet. */
function onlyAdds(statement: string, created: ReadonlySet<string | undefined>): boolean {
  // Two statements without a breakpoint in between. Bodies of functions have semicolons too.
  const isFunction = /^CREATE FUNCTION /i.test(statement);
  if (!isFunction && statement.includes(';')) return false;
  if (isFunction || /^CREATE (SCHEMA|SEQUENCE|TABLE|TYPE) /i.test(statement)) return true;
  // Created before the migration, without a lock: see `online-indexes.ts`.
  if (/^CREATE INDEX IF NOT EXISTS "/i.test(statement)) return true;
  const table =
    /^CREATE (?:UNIQUE )?INDEX \S+ ON (\S+)/i.exec(statement)?.[1] ??
    /^CREATE TRIGGER .+? ON (\S+)/i.exec(statement)?.[1] ??
    /^ALTER TABLE (\S+) ADD CONSTRAINT /i.exec(statement)?.[1];
  if (table !== undefined) return created.has(table);
  const column = /^ALTER TABLE \S+ ADD COLUMN (.+)$/i.exec(statement)?.[1];
  return column !== undefined && (!/NOT NULL/i.test(column) || /DEFAULT/i.test(column));
}
