import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { execute } from '../support/run-command.ts';

const cliFile = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

test.each([
  { args: ['keys', '--help'], code: 0, stdout: /^Usage: /, stderr: /^$/ },
  { args: ['keys', 'list'], code: 1, stdout: /^$/, stderr: /^error: No server runs on / },
  { args: ['keys', 'destroy'], code: 2, stdout: /^$/, stderr: /^error: unknown command / },
])('the process of $args ends with exit code $code', async ({ args, code, stdout, stderr }) => {
  await using directory = await temporaryDirectory();
  expect(await execute(process.execPath, [cliFile, ...args], { DATA_DIR: directory.path })).toEqual(
    { code, stdout: expect.stringMatching(stdout), stderr: expect.stringMatching(stderr) },
  );
});

test('npm run keys finds the server of the data directory', async () => {
  await using database = await createDatabase('embedded');
  await using _server = await openLocalServer(database.env);
  const args = ['run', '--silent', 'keys', '--', 'list', '--json'];
  const { code, stdout } = await execute('npm', args, database.env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'demo' }));
});
