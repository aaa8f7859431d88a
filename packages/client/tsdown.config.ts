import { defineConfig, type UserConfig } from 'tsdown';

/**
 * Each entry point becomes one file of its own, so that `testing` adds no code to the main entry.
 */
const options: UserConfig = {
  clean: false,
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  tsconfig: 'tsconfig.build.json',
  sourcemap: true,
  dts: { sourcemap: false },
  deps: { alwaysBundle: [/^@animal-store\//] },
  fixedExtension: false,
  treeshake: { propertyReadSideEffects: false },
  // The build is compressed, because not every bundler compresses this code as far. The names stay
  // readable.
  minify: { compress: true, mangle: false, codegen: false },
};

export default defineConfig([
  { ...options, entry: { index: 'src/index.ts' } },
  { ...options, entry: { testing: 'src/testing/index.ts' } },
]);
