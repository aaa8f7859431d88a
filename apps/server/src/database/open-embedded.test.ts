import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openEmbedded } from './open-embedded.ts';

// 128 MB, Postgres's default, would be resident from the start.
test('the embedded database has a small page cache', async () => {
  await using directory = await temporaryDirectory();
  const database = await openEmbedded(join(directory.path, 'data'));
  try {
    expect(await database.db.execute(sql`show shared_buffers`)).toMatchObject({
      rows: [{ shared_buffers: '16MB' }],
    });
  } finally {
    await database.close();
  }
});
