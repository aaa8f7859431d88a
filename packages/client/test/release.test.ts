import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packageDirectory } from './consumer.ts';

const root = join(packageDirectory, '../..');

test.each([
  ['outside the release workflow', {}],
  ['in another repository than the manifests name', { GITHUB_REPOSITORY: 'someone/else' }],
])('a release is refused %s', async (_where, env) => {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    repository: { url: string };
  };
  const check = promisify(execFile)(process.execPath, ['scripts/check-release.mjs'], {
    cwd: root,
    env: { GITHUB_REF_NAME: 'v1.0.0', ...env },
  });
  await expect(check).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`repository is ${manifest.repository.url}, but this is `),
  });
});
