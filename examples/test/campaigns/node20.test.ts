import { exec } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { runtimes } from '@animal-store/heavy-tools';
import { startServer } from '@animal-store/testkit';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

test('the Node script of the examples runs on Node 20 with the command from the README', async () => {
  await using server = await startServer();
  const readme = await readFile(join(root, 'examples/README.md'), 'utf8');
  const [, command = ''] = /^\| `([^`]+report\.ts)` /m.exec(readme) ?? [];
  // biome-ignore lint/style/noProcessEnv: npm is on the PATH.
  const { PATH = '' } = process.env;
  const env = {
    PATH: dirname(runtimes['Node 20']) + delimiter + PATH,
    ANIMAL_STORE_BASE_URL: server.baseUrl,
    ANIMAL_STORE_API_KEY: server.demoKey ?? expect.unreachable('the first start prints a key'),
  };
  const run = promisify(exec);
  expect((await run('node --version', { cwd: root, env })).stdout).toMatch(/^v20\./);
  expect((await run(command, { cwd: root, env })).stdout).toMatch(/^available: \d+$/m);
});
