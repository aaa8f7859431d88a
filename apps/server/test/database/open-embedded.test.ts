import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { useDatabase } from '../support/databases.ts';

const database = useDatabase('embedded');

// With the default settings of Postgres, the server would need 128 MB for the page cache from the
// start.
test('the embedded database uses a small page cache to save memory', async () => {
  expect(await database.db.execute(sql`show shared_buffers`)).toMatchObject({
    rows: [{ shared_buffers: '16MB' }],
  });
});
