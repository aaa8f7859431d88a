import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbedded } from '@animal-store/postgres/open-embedded';
import { StartupError } from '@animal-store/runtime';
import { until } from '@animal-store/testkit';
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { createDatabase, useDatabase } from '../support/databases.ts';

const database = useDatabase('embedded');

// With the default settings of Postgres, the server would need 128 MB for the page cache from the
// start.
test('the embedded database uses a small page cache to save memory', async () => {
  expect(await database.db.execute(sql`show shared_buffers`)).toMatchObject({
    rows: [{ shared_buffers: '16MB' }],
  });
});

// Regression: Node ran the timer of a statement timeout every millisecond, until the clock was right
// again.
test('the embedded database sets no timer that is too long for Node after the clock was set back by a year', async () => {
  const delays = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const { db } = database;
  await db.execute(sql`set statement_timeout = '20ms'`);
  await db.execute(sql`select 1`);
  vi.setSystemTime(Date.now() - 365 * 86_400_000);
  await db.execute(sql`select 1`);
  const longest = 2 ** 31 - 1;
  await until(() => delays.mock.calls.some(([, ms = 0]) => ms >= longest));
  expect(Math.max(...delays.mock.calls.map(([, ms = 0]) => ms))).toBe(longest);
});

// Regression: the message was "Aborted(). Build with -sASSERTIONS for more info."
test.each([
  ['an empty', Buffer.alloc(0), 'could not read file "global/pg_control": read 0 of 296'],
  ['a wrong', Buffer.alloc(8_192, 1), 'database files are incompatible with server'],
])(
  'the embedded database says that it is damaged, and what to do, when it has %s control file',
  async (_, content, reason) => {
    await using damaged = await createDatabase('embedded');
    const { DATA_DIR: dataDir = '' } = damaged.env;
    await writeFile(join(dataDir, 'postgres/global/pg_control'), content);
    await expect(damaged.open()).rejects.toThrow(
      new StartupError(
        `DATA_DIR: cannot open ${dataDir}: its database is damaged, or needs another version of Postgres (${reason}). No data was deleted. Restore a backup of the directory, or set DATA_DIR to a new directory to start with an empty database`,
      ),
    );
  },
);

test('the embedded database warns before it opens with a memory limit with which it may be killed', async () => {
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(134_217_728);
  onTestFinished(() => void vi.restoreAllMocks());
  await using database = await createDatabase('embedded');
  const { DATA_DIR: dataDir = '' } = database.env;
  const warnings: string[] = [];
  const onWarning = (sentence: string) => warnings.push(sentence);
  const { close } = await openEmbedded(dataDir, { ...migrationOptions, onWarning });
  await close();
  expect(warnings).toEqual([expect.stringMatching(/^This process may use 134 MB of memory, /)]);
});
