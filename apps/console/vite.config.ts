import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  // Prefresh is the hot reload for Preact. It reads the JSX options from this file and not from
  // tsconfig.json.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    // All files are in one folder, because the service serves only one folder. Nothing is inline,
    // because the service's Content-Security-Policy forbids inline code.
    assetsDir: '',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
    target: 'es2024',
    reportCompressedSize: false,
  },
});
