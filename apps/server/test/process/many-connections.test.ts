import { startServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import { call, startProcess } from '../support/test-service.ts';
import { closeOf, openConnection } from '../wire/connection.ts';

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

test('requests beyond the limit are not even parsed, however many connections send them', async () => {
  await using service = await startProcess('postgres', {
    env: { NODE_OPTIONS: '--max-old-space-size=96' },
  });
  const { origin } = service.server;
  // 400 times 64 kB: as objects, these requests would take a gigabyte.
  const sockets = await Promise.all(Array.from({ length: 400 }, () => openConnection(origin)));
  const closed = sockets.map((socket) => closeOf(socket.resume()));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(2_600));
  await Promise.all(closed);
  expect((await service.call('/pets')).status).toBe(200);
});
