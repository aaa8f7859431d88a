import { defineConfig, type UserConfig } from 'tsdown';

const format: UserConfig = {
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  tsconfig: 'tsconfig.build.json',
  dts: { sourcemap: false },
  fixedExtension: false,
};

// Inside the workspace the package is imported from its sources; this is what is published.
export default defineConfig([
  {
    ...format,
    entry: ['src/index.ts', 'src/openapi/index.ts'],
    // One file for each module, so that bundlers leave out the schemas that nobody imports.
    unbundle: true,
  },
  {
    ...format,
    // Published as `./admin` until the next version: the operators' contract is a package of its own.
    entry: { 'admin/index': '../admin-contract/src/index.ts' },
    noExternal: [/^@animal-store\//],
    tsconfig: '../admin-contract/tsconfig.build.json',
    clean: false,
  },
]);
