import prefresh from '@prefresh/vite';
import { defineConfig, loadEnv, mergeConfig, type Plugin } from 'vite';
import config from './vite.config.ts';

/**
 * Removes the modules of Prefresh from the list of modules that Vite bundles when it starts. pnpm
 * installs these modules in a folder where Vite does not find them at the start, so Vite would
 * print a warning. Vite bundles them later, when the page imports them.
 */
const withoutPrefreshBundles: Plugin = {
  name: 'without-prefresh-bundles',
  config(merged) {
    const { optimizeDeps } = merged;
    if (optimizeDeps?.include === undefined) return;
    optimizeDeps.include = optimizeDeps.include.filter((name) => !name.startsWith('@prefresh/'));
  },
};

// The development settings are in a separate file, because they need Prefresh. Prefresh is missing
// in a production installation, which only uses vite.config.ts.
export default defineConfig(async ({ mode }) => {
  // The address of the ops listener, to which the dev server forwards requests.
  const { OPS_URL: target = 'http://127.0.0.1:3001' } = loadEnv(mode, import.meta.dirname, 'OPS_');
  const proxied = { target, changeOrigin: true };
  return mergeConfig(config, {
    plugins: [await prefresh(), withoutPrefreshBundles],
    server: { proxy: { '/admin': proxied, '/readyz': proxied } },
  });
});
