import { formatsDeclaredOnce } from '@animal-store/testkit/declare-once';
import { defineConfig, type UserConfig } from 'tsdown';

/**
 * Each entry point becomes one file of its own, so that `testing` adds no code to the main entry.
 */
const options: UserConfig = {
  clean: false,
  format: formatsDeclaredOnce,
  platform: 'neutral',
  target: 'es2022',
  tsconfig: '../tsconfig.client.json',
  sourcemap: true,
  dts: { sourcemap: false },
  deps: { alwaysBundle: [/^@animal-store\//] },
  fixedExtension: false,
  treeshake: { propertyReadSideEffects: false },
  // The build removes unused code and unnecessary syntax, because some bundlers of users remove
  // less. It does not shorten names, so that the code stays readable.
  minify: { compress: true, mangle: false, codegen: false },
};

export default defineConfig([
  { ...options, entry: { index: 'src/index.ts' } },
  { ...options, entry: { testing: 'src/testing/index.ts' } },
]);
