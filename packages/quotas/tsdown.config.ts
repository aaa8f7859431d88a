import { defineConfig } from 'tsdown';

// Inside the workspace the package is imported from its sources; this is what is published.
export default defineConfig({
  entry: ['src/index.ts', 'src/express.ts'],
  format: ['esm', 'cjs'],
  platform: 'node',
  target: 'node22',
  tsconfig: 'tsconfig.build.json',
  dts: { sourcemap: false },
  fixedExtension: false,
  // `import.meta.url`, beside which the scripts for Redis are, also in CommonJS.
  shims: true,
  copy: ['src/*.lua'],
  deps: { alwaysBundle: ['@animal-store/runtime'] },
});
