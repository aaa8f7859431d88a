import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { execute } from '../support/run-command.ts';

const cliFile = fileURLToPath(new URL('../../../cli/src/cli.ts', import.meta.url));

// `run-cli.test.ts` and `cli.test.ts` test the output of the commands.
test('a CLI command that fails writes only to stderr, and its process ends with the documented exit code', async () => {
  await using directory = await temporaryDirectory();
  const env = { DATA_DIR: directory.path };
  expect(await execute(process.execPath, [cliFile, 'keys', 'list'], env)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error: No server uses the directory /),
  });
});

// On Linux, the output goes to /dev/full, a device that behaves like a full disk.
test.runIf(existsSync('/dev/full'))(
  'a CLI command whose output cannot be written says so in one line, and ends with exit code 1',
  async () => {
    const script = 'exec "$0" "$1" keys --help > /dev/full';
    expect(await execute('sh', ['-c', script, process.execPath, cliFile], {})).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: The command succeeded, but its output cannot be written: ENOSPC.\n',
    });
  },
);

test('npm run keys finds the running server through the socket in the data directory', async () => {
  await using database = await createDatabase('embedded');
  await using _server = await openLocalServer(database.env);
  const args = ['run', '--silent', 'keys', '--', 'list', '--json'];
  const { code, stdout } = await execute('npm', args, database.env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'demo' }));
});
