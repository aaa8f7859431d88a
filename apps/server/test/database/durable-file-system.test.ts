import fs from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterEach, expect, test, vi } from 'vitest';
import { createDatabase } from '../support/databases.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

// Written data survives the end of the process. It survives a power failure only if it was also
// flushed to the disk.
test('the embedded database acknowledges a commit only after its write-ahead log is on the disk', async () => {
  await using directory = await createDatabase('embedded');
  await using database = disposable(await directory.open());
  const pathOf = (file: number) => fs.readlinkSync(`/proc/self/fd/${file}`);
  const unflushed = new Set<string>();
  const { writeSync, fdatasyncSync } = fs;
  vi.spyOn(fs, 'writeSync').mockImplementation(((...args: Parameters<typeof writeSync>) => {
    unflushed.add(pathOf(args[0]));
    return writeSync(...args);
  }) as typeof writeSync);
  let flushes = 0;
  vi.spyOn(fs, 'fdatasyncSync').mockImplementation((file) => {
    fdatasyncSync(file);
    unflushed.delete(pathOf(file));
    flushes += 1;
  });

  await database.db.execute(sql`create table numbers (n int)`);
  const flushesBefore = flushes;
  for (let n = 0; n < 3; n++) {
    await database.db.execute(sql`insert into numbers values (${n})`);
    expect([...unflushed].filter((path) => path.includes('/pg_wal/'))).toEqual([]);
  }
  expect(flushes - flushesBefore).toBeGreaterThanOrEqual(3);
});

test('the embedded database creates every file and directory with access for its owner only', async () => {
  await using directory = await createDatabase('embedded');
  await using database = disposable(await directory.open());
  await database.db.execute(sql`create table numbers (n int)`);
  await database.db.execute(sql`checkpoint`);
  const postgres = join(directory.env['DATA_DIR'] ?? '', 'postgres');
  const entries = ['', ...fs.readdirSync(postgres, { recursive: true, encoding: 'utf8' })];
  expect(entries.length).toBeGreaterThan(400);
  const open = entries.filter((entry) => (fs.statSync(join(postgres, entry)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});

function disposable<Opened extends { close(): Promise<void> }>(opened: Opened) {
  return { ...opened, [Symbol.asyncDispose]: () => opened.close() };
}
