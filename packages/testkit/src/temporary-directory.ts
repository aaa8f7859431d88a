import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard } from './guard.ts';

export type TemporaryDirectory = AsyncDisposable & {
  /** The absolute path. */
  path: string;
  /** Removes the directory and all that is in it. */
  close(): Promise<void>;
};

/**
 * Makes an empty directory that only this user can read; it goes with this process at the latest.
 *
 * @param options.parent the directory to make it in.
 */
export async function temporaryDirectory({ parent = tmpdir() } = {}): Promise<TemporaryDirectory> {
  const path = join(parent, `animal-store-${randomUUID()}`);
  // Before it exists, so that there is no moment at which it exists unguarded.
  const release = guard({ directory: path });
  await mkdir(path, { mode: 0o700 });

  async function close() {
    await rm(path, { recursive: true, force: true, maxRetries: 10 });
    release();
  }
  return { path, close, [Symbol.asyncDispose]: close };
}
