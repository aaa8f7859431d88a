import { defineConfig, type UserConfig } from 'tsdown';

const format: UserConfig = {
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  tsconfig: 'tsconfig.build.json',
  dts: { sourcemap: false },
  fixedExtension: false,
};

// Inside the workspace, the package is imported from its sources. This build is for publishing.
export default defineConfig([
  {
    ...format,
    entry: ['src/index.ts', 'src/openapi/index.ts'],
    // Each module is one file, so that bundlers can leave out unused schemas.
    unbundle: true,
  },
  {
    ...format,
    // The operators' contract is a package of its own. It is published as `./admin` until the next
    // version.
    entry: { 'admin/index': '../admin-contract/src/index.ts' },
    noExternal: [/^@animal-store\//],
    tsconfig: '../admin-contract/tsconfig.build.json',
    clean: false,
  },
]);
