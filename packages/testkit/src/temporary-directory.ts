import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard } from './guard.ts';

/**
 * Creates an empty directory that only this user can read. It is removed when this process ends, at
 * the latest.
 *
 * @param options.parent the directory to create it in.
 */
export async function temporaryDirectory({ parent = tmpdir() } = {}) {
  const path = join(parent, `animal-store-${randomUUID()}`);
  // The guardian knows the path before the directory exists, so that it never exists unguarded.
  const release = guard({ directory: path });
  await mkdir(path, { mode: 0o700 });
  return {
    /** The absolute path. */
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 10 });
      release();
    },
  };
}
