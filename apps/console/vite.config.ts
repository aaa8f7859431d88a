import { defineConfig } from 'vite';

/** The service that the dev server passes requests to: its ops listener. */
const service = 'http://127.0.0.1:3001';

export default defineConfig(async ({ command }) => ({
  base: '/console/',
  // Only the dev server needs it, and an installation for production lacks it.
  plugins: command === 'serve' ? [await (await import('@prefresh/vite')).default()] : [],
  server: {
    proxy: { '/admin': { target: service, changeOrigin: true }, '/readyz': service },
  },
  build: {
    // The service sends all files from one folder, and nothing inline.
    assetsDir: '',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
    target: 'es2024',
    reportCompressedSize: false,
  },
}));
