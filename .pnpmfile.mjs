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

/** Corrects wrong or missing declarations in the manifests of dependencies. */
function readPackage(manifest) {
  // The packages that contain Node have `"os": "linux"`, but pnpm only reads lists. Without this
  // correction, it would install Node for all platforms.
  for (const field of ['os', 'cpu']) {
    if (typeof manifest[field] === 'string') manifest[field] = [manifest[field]];
  }
  switch (manifest.name) {
    case 'openapi-typescript':
      // openapi-typescript uses the compiler API, which TypeScript 7 does not have.
      manifest.peerDependencies = {};
      manifest.dependencies = { ...manifest.dependencies, typescript: '5.9.3' };
      break;
    case 'vite':
      // esbuild and tsx are optional peers of Vite for features that this project does not use.
      // Without this correction, pnpm would install the copies that other tools depend on.
      for (const peer of ['esbuild', 'tsx']) {
        delete manifest.peerDependencies[peer];
        delete manifest.peerDependenciesMeta[peer];
      }
      break;
    case '@orval/core':
    case '@orval/mock':
      // faker is an optional peer of orval for a feature that this project does not use. Without
      // this correction, orval would depend on the copy that Prism brings.
      delete manifest.peerDependencies?.['@faker-js/faker'];
      delete manifest.peerDependenciesMeta?.['@faker-js/faker'];
      break;
    case 'debug':
      // A terminal colour library is an optional peer of debug, which Express depends on. Without
      // this correction, the service would depend on the copy that another tool brings.
      manifest.peerDependencies = {};
      manifest.peerDependenciesMeta = {};
      break;
  }
  return manifest;
}

export const hooks = { beforePacking, readPackage };
