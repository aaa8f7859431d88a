import { defineConfig } from 'tsdown';

// The build is only for publishing. Inside the workspace, other packages import the sources.
export default defineConfig({
  entry: ['src/index.ts', 'src/express.ts'],
  format: ['esm', 'cjs'],
  platform: 'node',
  target: 'node22',
  tsconfig: 'tsconfig.build.json',
  dts: { sourcemap: false },
  fixedExtension: false,
  // The Lua scripts are found next to `import.meta.url`, which CommonJS lacks. `shims` adds it.
  shims: true,
  copy: ['src/*.lua'],
  deps: { alwaysBundle: ['@animal-store/runtime'] },
});
