import type { Database } from '@animal-store/postgres';
import { probeDatabase } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, databaseKinds, openWithoutLimits } from '../support/databases.ts';

describe.each(databaseKinds)('a probe on %s', (kind) => {
  let db: Database;
  beforeAll(async () => {
    const database = await createDatabase(kind);
    // The service replaces all its connections when it learns that one is read-only and Postgres is not.
    const opened = kind === 'postgres' ? openWithoutLimits(database) : await database.open();
    ({ db } = opened);
    return async () => {
      await opened.close();
      await database[Symbol.asyncDispose]();
    };
  });

  test.each([
    // A full disk, too, refuses temporary files first of all: creations may still find room in a page.
    ['has no room for files', sql`set local temp_file_limit = 0`, '53400'],
    ['is read-only', sql`set transaction read only`, '25006'],
  ])('fails on a database that %s, and else succeeds', async (_, setting, code) => {
    await probeDatabase(db);
    const probed = db.transaction(async (tx) => {
      await tx.execute(setting);
      await probeDatabase(tx);
    });
    await expect(probed).rejects.toMatchObject({ code });
    await probeDatabase(db);
  });
});
