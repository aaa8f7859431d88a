import { registerHooks } from 'node:module';

// Preloaded as `with-connections.ts?2`, it gives the service a pool of so many connections to Postgres.
const connections = Number(new URL(import.meta.url).search.slice(1));
const setting = /(?<=^const maxConnections = )\d+(?=;$)/m;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/database/open-postgres.ts')) return loaded;
    const source = String(loaded.source);
    if (!setting.test(source)) throw new Error(`${url}: expected maxConnections`);
    return { ...loaded, source: source.replace(setting, String(connections)) };
  },
});
