import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer, temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { call } from '../support/test-service.ts';

test('a server starts from scratch after a first start that was killed half-way', async () => {
  await using directory = await temporaryDirectory();
  const dataDir = join(directory.path, 'not', 'there', 'yet');
  const hook = new URL('../support/die-half-way.ts?files=30', import.meta.url);
  const env = { NODE_OPTIONS: `--import=${hook}` };
  await expect(startServer({ dataDir, env })).rejects.toThrow('SIGKILL');
  expect((await readdir(join(dataDir, 'postgres'))).length).toBeGreaterThan(0);

  await using second = await startServer({ dataDir });
  const answer = await call(`${second.baseUrl}/pets`, { token: second.demoKey ?? '' });
  expect(answer.status).toBe(200);
  expect(answer.body).toHaveLength(20);
});

test('when four servers start at once on one data directory, exactly one serves', async () => {
  await using database = await createDatabase('embedded');
  await using started = new AsyncDisposableStack();
  const attempts = await Promise.allSettled(
    Array.from({ length: 4 }, () => startServer({ env: database.env })),
  );
  const servers = attempts.filter((it) => it.status === 'fulfilled').map(({ value }) => value);
  for (const server of servers) started.use(server);
  expect(servers).toHaveLength(1);
  for (const { reason } of attempts.filter((it) => it.status === 'rejected')) {
    expect(reason.message).toMatch(/exit code 1\nDATA_DIR: another Animal Store is running on/);
  }
  const [server] = servers;
  const { body } = await call(`${server?.baseUrl}/pets`, { token: server?.demoKey ?? '' });
  expect(body).toHaveLength(20);
});
