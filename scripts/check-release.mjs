// Packs the published packages into `release/`, and checks what would be published:
//
//   node scripts/check-release.mjs
//
// In the release workflow it also checks that the tag and the repository are those of the manifests.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const release = join(root, 'release');
const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: actualRepository } = process.env;
const faults = [];

if (actualRepository && !repository.url.endsWith(`github.com/${actualRepository}.git`)) {
  faults.push(`package.json: repository is ${repository.url}, but this is ${actualRepository}.`);
}
rmSync(release, { recursive: true, force: true });
mkdirSync(release);
for (const name of ['contract', 'client']) {
  const tarball = join(release, `${name}.tgz`);
  const pnpm = join(root, 'node_modules/.bin/pnpm');
  run(pnpm, ['pack', '--out', tarball], join(root, 'packages', name));
  const manifest = run('tar', ['-xzOf', tarball, 'package/package.json']);
  const files = run('tar', ['-tzf', tarball]).trim().split('\n');
  checkManifest(name, JSON.parse(manifest), files);
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log('The packages in release/ can be published.');

function checkManifest(name, manifest, files) {
  if (tag && manifest.version !== tag.replace(/^v/, '')) {
    faults.push(`${name}: the version is ${manifest.version}, but the tag is ${tag}.`);
  }
  for (const field of ['repository', 'bugs', 'license', 'keywords', 'engines', 'exports']) {
    if (manifest[field] === undefined) faults.push(`${name}: ${field} is missing.`);
  }
  for (const field of ['devDependencies', 'scripts', 'private']) {
    if (manifest[field] !== undefined) faults.push(`${name}: ${field} does not belong there.`);
  }
  const text = JSON.stringify(manifest);
  if (/"(?:catalog|workspace):/.test(text)) faults.push(`${name}: a version is not a version.`);
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
