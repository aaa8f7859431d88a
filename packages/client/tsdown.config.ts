import { defineConfig, type UserConfig } from 'tsdown';

/** Each entry is one file, so that `testing` costs the main entry nothing. */
const options: UserConfig = {
  clean: false,
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  tsconfig: 'tsconfig.build.json',
  sourcemap: true,
  dts: { sourcemap: false },
  deps: { alwaysBundle: ['@animal-store/contract'] },
  fixedExtension: false,
  treeshake: { propertyReadSideEffects: false },
  // Compressed, but with the names kept: not every bundler compresses this well.
  minify: { compress: true, mangle: false, codegen: false },
};

export default defineConfig([
  { ...options, entry: { index: 'src/index.ts' } },
  { ...options, entry: { testing: 'src/testing/index.ts' } },
]);
