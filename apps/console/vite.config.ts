import { defineConfig, loadEnv, type UserConfig } from 'vite';

export default defineConfig(async ({ command, mode }): Promise<UserConfig> => {
  // The ops listener of the service that the dev server passes requests to.
  const { OPS_URL: target = 'http://127.0.0.1:3001' } = loadEnv(mode, import.meta.dirname, 'OPS_');
  return {
    base: '/console/',
    // Only the dev server needs it, and an installation for production lacks it.
    plugins: command === 'serve' ? [await (await import('@prefresh/vite')).default()] : [],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    server: {
      proxy: {
        '/admin': { target, changeOrigin: true },
        '/readyz': { target, changeOrigin: true },
      },
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
  };
});
