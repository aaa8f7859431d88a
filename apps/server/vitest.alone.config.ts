import { defineConfig } from 'vitest/config';
import server, { alone } from './vitest.config.ts';

/** The tests of times: no other runs beside them, so what is late is the service's own doing. */
export default defineConfig({
  test: { ...server.test, name: 'server-alone', include: alone, exclude: [], maxWorkers: 1 },
});
