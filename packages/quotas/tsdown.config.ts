import { formatsDeclaredOnce } from '@animal-store/testkit/declare-once';
import { defineConfig } from 'tsdown';

// The build is only for publishing. Inside the workspace, other packages import the sources.
export default defineConfig({
  entry: ['src/index.ts', 'src/express.ts'],
  format: formatsDeclaredOnce,
  platform: 'node',
  target: 'node22',
  tsconfig: '../tsconfig.quotas.json',
  dts: { sourcemap: false },
  fixedExtension: false,
  // The code finds the Lua scripts by `import.meta.url`, which CommonJS lacks. `shims` adds
  // `import.meta.url` to the CommonJS build.
  shims: true,
  copy: ['src/*.lua'],
  deps: { alwaysBundle: ['@animal-store/runtime'] },
});
