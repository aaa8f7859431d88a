import { readFileSync } from 'node:fs';

const root = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/**
 * Completes the manifest of a package when it is packed. The fields that all packages share come
 * from the root manifest. Exact versions become ranges that allow later minor versions.
 *
 * A package without peer dependencies is the contract. Its dependencies (zod and ts-rest) become
 * peers, because its users must have only one copy of their types.
 */
function beforePacking({ devDependencies, scripts, dependencies, ...manifest }, directory) {
  const { repository, bugs } = root;
  const ranges = Object.fromEntries(
    Object.entries(dependencies ?? {})
      // `@animal-store/runtime` is private, so the packages that use it bundle it. Peer
      // dependencies are in `dependencies` only for the workspace.
      .filter(([name]) => name !== '@animal-store/runtime' && !manifest.peerDependencies?.[name])
      .map(([name, version]) => [name, `^${version}`]),
  );
  const kind = manifest.peerDependencies === undefined ? 'peerDependencies' : 'dependencies';
  return {
    ...manifest,
    ...(dependencies !== undefined && { [kind]: ranges }),
    repository: { ...repository, directory: `packages/${directory.split('/').at(-1)}` },
    bugs,
  };
}

/**
 * Turns `"os": "linux"` in the packages that contain Node into a list, because pnpm only reads
 * lists. Without this correction, pnpm would install Node for all platforms.
 */
function readPackage(manifest) {
  for (const field of ['os', 'cpu']) {
    if (typeof manifest[field] === 'string') manifest[field] = [manifest[field]];
  }
  return manifest;
}

export const hooks = { beforePacking, readPackage };
