import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  // Prefresh reads this option here and not in tsconfig.json.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    // The service sends all files from one folder, and nothing inline.
    assetsDir: '',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
    target: 'es2024',
    reportCompressedSize: false,
  },
});
