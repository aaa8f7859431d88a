import { startServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import { call } from '../support/test-service.ts';
import { openConnection } from '../wire/connection.ts';

// Regression: connections to the public port took all file descriptors, probes got none, and nothing was logged.
test('idle connections to the public port leave file descriptors for probes', async () => {
  await using database = await createDatabase('postgres');
  await using server = await startServer({
    env: { ...database.env, MAX_CONNECTIONS_PER_NETWORK: '0' },
    command: [
      'sh',
      '-c',
      'ulimit -n 300; exec apps/server/node_modules/.bin/node apps/server/src/main.ts',
    ],
  });
  const sockets = await Promise.all(
    Array.from({ length: 400 }, (_, i) => openConnection(server.origin, `127.0.0.${2 + (i % 8)}`)),
  );
  for (const probe of ['/livez', '/readyz', '/metrics']) {
    expect((await call(server.opsUrl + probe)).status, probe).toBe(200);
  }
  const refused = 'animal_store_connections_refused_total{limit="open_files"}';
  await until(async () => (sample(await scrape(server), refused) ?? 0) > 100);
  const line = await until(() =>
    logOf(server).find(({ msg }) => msg === 'connections are refused'),
  );
  expect(line).toMatchObject({ level: 'warn', limit: 'open_files' });
  for (const socket of sockets) socket.destroy();
  const callAPI = () => call(`${server.baseUrl}/pets`).catch(() => undefined);
  await until(async () => (await callAPI())?.status === 401);
});
