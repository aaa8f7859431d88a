import { defineConfig } from 'tsdown';

// Inside the workspace the package is imported from its sources; this is what is published.
export default defineConfig({
  entry: ['src/index.ts', 'src/admin/index.ts', 'src/openapi/index.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  tsconfig: 'tsconfig.build.json',
  // One file for each module, so that bundlers leave out the schemas that nobody imports.
  unbundle: true,
  dts: { sourcemap: false },
  fixedExtension: false,
});
