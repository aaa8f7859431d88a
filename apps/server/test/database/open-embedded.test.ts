import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { useDatabase } from '../support/databases.ts';

const database = useDatabase('embedded');

// Postgres's default of 128 MB would be resident from the start.
test('the embedded database uses a small page cache to save memory', async () => {
  expect(await database.db.execute(sql`show shared_buffers`)).toMatchObject({
    rows: [{ shared_buffers: '16MB' }],
  });
});
