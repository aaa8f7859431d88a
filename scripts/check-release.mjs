// Packs the packages that npm publishes, and checks the tarballs with publint. The tarballs are in
// the folder `release/`.
//
//   node scripts/check-release.mjs             in the release workflow
//   node scripts/check-release.mjs --dry-run   anywhere else: `npm run release:check`
//
// A release must run in the repository that the manifests name, and on the tag of their version. No
// release can pass until `repository` in the root's package.json names a real repository. A dry run
// skips these two checks. Its `npm publish` uploads nothing.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const release = join(root, 'release');
const { repository, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const isDryRun = process.argv.includes('--dry-run');
const { GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: actualRepository } = process.env;

const home = `https://github.com/${actualRepository}`;
if (!isDryRun && (repository.url !== `git+${home}.git` || bugs !== `${home}/issues`)) {
  refuse(
    `In package.json, the repository is ${repository.url}, but the release runs in ${actualRepository}. Correct \`repository\` and \`bugs\`.`,
  );
}
rmSync(release, { recursive: true, force: true });
mkdirSync(release);
for (const name of ['contract', 'client', 'quotas']) {
  const directory = join(root, 'packages', name);
  const tarball = join(release, `${name}.tgz`);
  run(join(root, 'node_modules/.bin/pnpm'), ['pack', '--out', tarball], directory);
  run(join(directory, 'node_modules/.bin/publint'), ['run', tarball, '--strict'], directory);
  const { version } = JSON.parse(run('tar', ['-xzOf', tarball, 'package/package.json'], root));
  if (!isDryRun && tag !== `v${version}`) {
    refuse(
      `The version of ${name} is ${version}, but the tag is ${tag}. Push the tag v${version}.`,
    );
  }
  if (isDryRun) run('npm', ['publish', '--dry-run', '--access', 'public', tarball], root);
}
if (isDryRun) {
  console.log(`This dry run did not check the tag and the repository. A release only passes in
${repository.url}. This address is a placeholder until the project has a repository.`);
}
console.log('The packages in release/ can be published.');

function refuse(fault) {
  console.error(fault);
  process.exit(1);
}

function run(command, args, cwd) {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
