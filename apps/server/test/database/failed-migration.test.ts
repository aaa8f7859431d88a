import { StartupError } from '@animal-store/runtime';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';

/** The message about a migration that creates a table which already exists. */
const failed =
  'the migration 0021_record_ban_moves failed: relation "ban_moves" already exists (SQLSTATE 42P07).';

// Regression: with the embedded database, the message contained the SQL of the whole migration.
// With Postgres, it did not name the migration.
test.each([
  [
    'embedded',
    /^DATA_DIR: cannot open \/\S+: /,
    `${failed} All changes of this start were undone. Start the version of the service that used this directory before, or restore a backup of the directory`,
  ],
  [
    'postgres',
    /^DATABASE_URL: cannot migrate the database: /,
    `${failed} Its transaction was undone. Correct the cause, and start again: completed migrations are not repeated.`,
  ],
] as const)(
  'a start on the database %s names the migration that failed, the reason, and what to do',
  async (kind, beginning, rest) => {
    await using database = await createDatabase(kind);
    const forgetMigrations = sql`delete from drizzle.__drizzle_migrations
      where created_at in (select created_at from drizzle.__drizzle_migrations order by 1 desc limit 2)`;
    const before = await database.open();
    await before.db.execute(forgetMigrations);
    await before.close();
    const start = async () => {
      const opened = await database.open();
      try {
        await opened.prepare(() => {});
      } finally {
        await opened.close();
      }
    };
    const failure = await start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartupError);
    const { message } = failure as StartupError;
    expect(message).toMatch(beginning);
    expect(message.replace(beginning, '')).toBe(rest);
    // The failed start has released the directory, so a second attempt fails for the same reason.
    await expect(start()).rejects.toThrow(message);
  },
);
