import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { databaseKinds, useDatabase } from '../../test/support/databases.ts';
import { probeDatabase } from './probe-database.ts';

describe.each(databaseKinds)('a probe on %s', (kind) => {
  const database = useDatabase(kind);

  test.each([
    // A full disk, too, refuses temporary files first of all: creations may still find room in a page.
    ['has no room for files', sql`set local temp_file_limit = 0`, '53400'],
    ['is read-only', sql`set transaction read only`, '25006'],
  ])('fails on a database that %s, and else succeeds', async (_, setting, code) => {
    await probeDatabase(database.db);
    const probed = database.db.transaction(async (tx) => {
      await tx.execute(setting);
      await probeDatabase(tx);
    });
    await expect(probed).rejects.toMatchObject({ code });
    await probeDatabase(database.db);
  });
});
