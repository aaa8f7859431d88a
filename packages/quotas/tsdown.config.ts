import { defineConfig } from 'tsdown';

// Inside the workspace, the package is imported from its sources. This build is for publishing.
export default defineConfig({
  entry: ['src/index.ts', 'src/express.ts'],
  format: ['esm', 'cjs'],
  platform: 'node',
  target: 'node22',
  tsconfig: 'tsconfig.build.json',
  dts: { sourcemap: false },
  fixedExtension: false,
  // The scripts for Redis are found beside `import.meta.url`, also in CommonJS.
  shims: true,
  copy: ['src/*.lua'],
  deps: { alwaysBundle: ['@animal-store/runtime'] },
});
