import { readFileSync } from 'node:fs';

const root = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/**
 * Completes the manifest of a package that is packed: what all packages share is in the root's. Any later version with
 * the same major of a dependency will do. A package that names no peers, the contract, depends on zod and ts-rest: its
 * users have them as well, and their types must come from one copy, so these become peers.
 */
function beforePacking({ devDependencies, scripts, dependencies, ...manifest }, directory) {
  const { repository, bugs } = root;
  const ranges = Object.fromEntries(
    Object.entries(dependencies ?? {})
      // The first is private, so who uses it bundles it. Peers are dependencies only inside the workspace.
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

/** Corrects what some packages say they need. */
function readPackage(manifest) {
  // The packages that hold Node write `"os": "linux"`, and pnpm reads lists only: it would install all platforms.
  for (const field of ['os', 'cpu']) {
    if (typeof manifest[field] === 'string') manifest[field] = [manifest[field]];
  }
  switch (manifest.name) {
    case 'openapi-typescript':
      // It writes types by the compiler's API, which TypeScript 7 does not have.
      manifest.peerDependencies = {};
      manifest.dependencies = { ...manifest.dependencies, typescript: '5.9.3' };
      break;
    case 'vite':
      // Otherwise the esbuild and tsx that other tools bring are installed along with it. It uses
      // them for options that are set nowhere here.
      for (const peer of ['esbuild', 'tsx']) {
        delete manifest.peerDependencies[peer];
        delete manifest.peerDependenciesMeta[peer];
      }
      break;
    case 'debug':
      // Otherwise the colours that some tool brings become a dependency of the service's Express.
      manifest.peerDependencies = {};
      manifest.peerDependenciesMeta = {};
      break;
  }
  return manifest;
}

export const hooks = { beforePacking, readPackage };
