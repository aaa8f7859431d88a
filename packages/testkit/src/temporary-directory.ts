import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAtExit } from './clean-up-at-exit.ts';

/**
 * Creates an empty directory that only this user can read. It is removed on disposal, or when this
 * process ends.
 *
 * @param options.parent the directory in which it is created.
 */
export async function temporaryDirectory({ parent = tmpdir() } = {}) {
  const path = join(parent, `animal-store-${randomUUID()}`);
  // The directory is registered for removal before it is created, so that it is removed even if
  // this process is killed in between.
  const forget = cleanUpAtExit({ directory: path });
  await mkdir(path, { mode: 0o700 });
  return {
    /** The absolute path of the directory. */
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 10 });
      forget();
    },
  };
}
