import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publish } from './debian-packages.ts';
import { nodeFlags } from './node-flags.ts';
import { repository } from './repository.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);
const server = `${repository}apps/server/`;
const cache = `${repository}node_modules/.cache/embedded/`;

/**
 * Copies the data directory of a migrated, empty embedded database to `target`.
 *
 * The first start of an embedded database takes 3 s of CPU time, most of it for `initdb` in
 * WebAssembly. So one directory is created and kept until PGlite or a migration changes.
 */
export async function copyEmbeddedSnapshot(target: string): Promise<void> {
  const snapshot = join(cache, await hashOfInputs());
  if (!existsSync(snapshot)) await makeSnapshot(snapshot);
  await cp(snapshot, target, { recursive: true });
}

async function hashOfInputs(): Promise<string> {
  const hash = createHash('sha256');
  const pglite = createRequire(join(server, 'package.json')).resolve('@electric-sql/pglite');
  hash.update(await readFile(join(pglite, '../../package.json')));
  const migrations = join(server, 'src/schema/migrations');
  for (const name of (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort()) {
    hash.update(name).update(await readFile(join(migrations, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function makeSnapshot(snapshot: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  await using directory = await temporaryDirectory({ parent: cache });
  const data = join(directory.path, 'data');
  const program = join(server, 'test/support/migrate-embedded.ts');
  await run(process.execPath, [...nodeFlags, program, data]);
  // The databases `template1` and `template0` contain 600 of the 1,000 files, and no test opens
  // them. So their files are not copied.
  for (const unused of ['1', '4']) {
    await rm(join(data, 'postgres/base', unused), { recursive: true });
  }
  await publish(data, snapshot);
}
