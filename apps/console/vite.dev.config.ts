import prefresh from '@prefresh/vite';
import { defineConfig, loadEnv, mergeConfig } from 'vite';
import config from './vite.config.ts';

// The development settings are in a separate file. A production installation also builds the
// console, and has no Prefresh.
export default defineConfig(async ({ mode }) => {
  // The address of the ops listener, to which the dev server forwards requests.
  const { OPS_URL: target = 'http://127.0.0.1:3001' } = loadEnv(mode, import.meta.dirname, 'OPS_');
  const proxied = { target, changeOrigin: true };
  return mergeConfig(config, {
    plugins: [await prefresh()],
    server: { proxy: { '/admin': proxied, '/readyz': proxied } },
  });
});
