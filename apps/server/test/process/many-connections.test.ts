import { closeOf, openConnection, startServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import { call } from '../support/test-service.ts';

// Regression: connections to the public port used up all file descriptors of the process. Health
// checks then failed, and nothing was logged.
test('the service still responds to health checks, and limits its memory, when clients open as many connections as they can', async () => {
  await using database = await createDatabase('postgres');
  await using server = await startServer({
    env: {
      ...database.env,
      MAX_CONNECTIONS_PER_NETWORK: '0',
      NODE_OPTIONS: '--max-old-space-size=96',
    },
    command: [
      'sh',
      '-c',
      'ulimit -n 300; exec apps/server/node_modules/.bin/node apps/server/src/main.ts',
    ],
  });
  const sockets = await Promise.all(
    Array.from({ length: 400 }, (_, i) => openConnection(server.origin, `127.0.0.${2 + (i % 8)}`)),
  );
  const closed = sockets.map((socket) => closeOf(socket.resume()));
  for (const probe of ['/livez', '/readyz', '/metrics']) {
    expect((await call(server.opsUrl + probe)).status, probe).toBe(200);
  }
  const refused = 'animal_store_connections_refused_total{limit="open_files"}';
  await until(async () => (sample(await scrape(server), refused) ?? 0) > 100);
  const line = await until(() =>
    logOf(server).find(
      ({ msg }) => msg === 'new connections are refused, because a limit of connections is reached',
    ),
  );
  expect(line).toMatchObject({ level: 'warn', limit: 'open_files' });

  // More than 100 connections send 256 kB of small requests each. If the server parsed all of these
  // requests into objects at once, it would need a gigabyte of memory.
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(10_400));
  await Promise.all(closed);
  const callApi = () => call(`${server.baseUrl}/pets`).catch(() => undefined);
  await until(async () => (await callApi())?.status === 401);
});

// Regression: with a limit below 40, the service started and refused all connections.
test('the server process handles requests with the lowest accepted limit of open files, and does not start with a lower one', async () => {
  await using database = await createDatabase('postgres');
  const start = (limit: number) =>
    startServer({
      env: database.env,
      command: [
        'sh',
        '-c',
        `ulimit -n ${limit}; exec apps/server/node_modules/.bin/node apps/server/src/main.ts`,
      ],
    });
  await expect(start(63)).rejects.toThrow(/^ulimit -n: this process may open only 63 files/m);
  await using server = await start(64);
  expect((await call(`${server.baseUrl}/pets`)).status).toBe(401);
});
