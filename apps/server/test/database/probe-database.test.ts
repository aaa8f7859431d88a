import type { Database } from '@animal-store/postgres';
import { probeDatabase } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, databaseKinds, openWithoutLimits } from '../support/databases.ts';

describe.each(databaseKinds)('database %s', (kind) => {
  let db: Database;
  beforeAll(async () => {
    const database = await createDatabase(kind);
    // For Postgres, the test opens connections itself. The service would not be suitable, because
    // it replaces all of its connections when one of them is read-only, as in a case below.
    const opened = kind === 'postgres' ? openWithoutLimits(database) : await database.open();
    ({ db } = opened);
    return async () => {
      await opened.close();
      await database[Symbol.asyncDispose]();
    };
  });

  test.each([
    // When a disk is full, Postgres first fails to write temporary files. New animals may still fit
    // into an existing page of the table.
    ['has no space for files', sql`set local temp_file_limit = 0`, '53400'],
    ['is read-only', sql`set transaction read only`, '25006'],
  ])(
    'probeDatabase fails on a database that %s, and succeeds otherwise',
    async (_, setting, code) => {
      await probeDatabase(db);
      const probed = db.transaction(async (tx) => {
        await tx.execute(setting);
        await probeDatabase(tx);
      });
      await expect(probed).rejects.toMatchObject({ code });
      await probeDatabase(db);
    },
  );
});
