// Packs the packages that are published into `release/`, and checks the tarballs.
//
//   node scripts/check-release.mjs             in the release workflow
//   node scripts/check-release.mjs --dry-run   anywhere else: `npm run release:check`
//
// A release must run in the repository that the manifests name, and on the tag of their version. No release can
// pass until `repository` in the root's package.json names a real repository. A dry run reports that it skips
// this check. It runs all other steps of the workflow, and its `npm publish` uploads nothing.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const release = join(root, 'release');
const { repository, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const isDryRun = process.argv.includes('--dry-run');
const { GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: actualRepository } = process.env;
const names = ['contract', 'client', 'quotas'];
const faults = [];

if (!isDryRun) {
  const home = `https://github.com/${actualRepository}`;
  if (repository.url !== `git+${home}.git` || bugs !== `${home}/issues`) {
    faults.push(`package.json: repository is ${repository.url}, but this is ${actualRepository}.`);
    refuseIfFaulty();
  }
}
rmSync(release, { recursive: true, force: true });
mkdirSync(release);
for (const name of names) {
  const tarball = join(release, `${name}.tgz`);
  const pnpm = join(root, 'node_modules/.bin/pnpm');
  run(pnpm, ['pack', '--out', tarball], join(root, 'packages', name));
  const manifest = run('tar', ['-xzOf', tarball, 'package/package.json']);
  const files = run('tar', ['-tzf', tarball]).trim().split('\n');
  checkManifest(name, JSON.parse(manifest), files);
}
refuseIfFaulty();
if (isDryRun) {
  for (const name of names) {
    run('npm', ['publish', '--dry-run', '--access', 'public', join(release, `${name}.tgz`)]);
  }
  console.log(`Not checked, because this is no release: whether the tag matches the version, and whether
the repository is ${repository.url}, which is a placeholder until the project has one.`);
}
console.log('The packages in release/ can be published.');

function refuseIfFaulty() {
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
}

function checkManifest(name, manifest, files) {
  if (!isDryRun && tag !== `v${manifest.version}`) {
    faults.push(`${name}: the version is ${manifest.version}, but the tag is ${tag}.`);
  }
  for (const field of ['repository', 'bugs', 'license', 'keywords', 'engines', 'exports']) {
    if (manifest[field] === undefined) faults.push(`${name}: ${field} is missing.`);
  }
  for (const field of ['devDependencies', 'scripts', 'private']) {
    if (manifest[field] !== undefined) faults.push(`${name}: ${field} must not be published.`);
  }
  const text = JSON.stringify(manifest);
  if (/"(?:catalog|workspace):/.test(text))
    faults.push(`${name}: a dependency has a "catalog:" or "workspace:" version.`);
  for (const [, path] of text.matchAll(/:"\.\/([^"*]+)"/g)) {
    if (!files.includes(`package/${path}`)) faults.push(`${name}: ${path} is missing.`);
  }
  for (const file of ['README.md', 'LICENSE']) {
    if (!files.includes(`package/${file}`)) faults.push(`${name}: ${file} is missing.`);
  }
}

function run(command, args, cwd = root) {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
