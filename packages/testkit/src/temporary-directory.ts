import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard } from './guard.ts';

/**
 * Makes an empty directory that only this user can read; it goes with this process at the latest.
 *
 * @param options.parent the directory to make it in.
 */
export async function temporaryDirectory({ parent = tmpdir() } = {}) {
  const path = join(parent, `animal-store-${randomUUID()}`);
  // Before it exists, so that there is no moment at which it exists unguarded.
  const release = guard({ directory: path });
  await mkdir(path, { mode: 0o700 });
  return {
    /** Absolute. */
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 10 });
      release();
    },
  };
}
