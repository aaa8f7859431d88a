import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { cli, execute } from '../support/run-command.ts';

const cliFile = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

const nobody = '00000000-0000-4000-8000-000000000000';

describe('an invalid command', () => {
  const plan = ['create', '--plan'];
  test.each([
    [['create'], 'expected --plan, or --account with one that has a plan'],
    [[...plan, 'gold'], 'Allowed choices are free, pro, business, enterprise'],
    [[...plan, 'enterprise'], 'the Enterprise plan takes --per-minute and --per-day'],
    [[...plan, 'enterprise', '--per-minute', '5'], '--per-minute and --per-day go together'],
    [
      [...plan, 'pro', '--per-minute', '5', '--per-day', '6'],
      'only the Enterprise plan takes --per-minute and --per-day',
    ],
    [[...plan, 'enterprise', '--per-minute', '0', '--per-day', '6'], 'from 1 to 2147483647'],
    [[...plan, 'free', '--expires', 'soon'], 'such as 90d or 24h'],
    [[...plan, 'free', '--expires', '2030-01-01'], 'a date and time with its offset'],
    [['show'], "missing required argument 'id'"],
    [['show', 'acme'], 'Expected an id, as list shows it'],
    [['set-plan', nobody], "missing required argument 'plan'"],
    [['rotate', nobody, '--grace', '31d'], 'Expected at most 30d'],
    [['rotate', nobody, '--grace', '-1'], 'Expected at most 30d'],
    [['revoke', nobody, nobody], 'too many arguments'],
    [
      ['create', '--plan', 'free', '--scopes', 'pets:sell'],
      'Expected pets:read or pets:write, or both',
    ],
    [['create', '--plan', 'free', '--scopes', 'pets:read,pets:read'], 'Expected pets:read or'],
    [['create', '--plan', 'free', '--scopes', ''], 'Expected pets:read or'],
    [
      ['create', '--plan', 'free', '--read-only', '--scopes', 'pets:write'],
      "option '--read-only' cannot be used with option '--scopes <list>'",
    ],
    [['list', '--state', 'banned'], 'Allowed choices are active, suspended, expired, revoked'],
    [['list', '--url', 'localhost'], 'Expected an origin'],
    [['destroy'], "unknown command 'destroy'"],
    [['list', '--everything'], "unknown option '--everything'"],
  ])('%j prints the reason and exits with code 2', async (args, message) => {
    const { code, stdout, stderr } = await cli(['keys', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/\nAdd --help for what it takes\.\n$/);
  });

  test.each([
    [['show'], "missing required argument 'account'"],
    [['set-plan', 'C-17'], "missing required argument 'plan'"],
    [['set-plan', 'C-17', 'gold'], 'Allowed choices are free, pro, business, enterprise, none'],
    [['set-plan', 'C-17', 'enterprise'], 'the Enterprise plan takes --per-minute and --per-day'],
    [
      ['set-plan', 'C-17', 'none', '--per-minute', '5', '--per-day', '6'],
      'only the Enterprise plan takes --per-minute and --per-day',
    ],
    [['list', '--plan', 'none'], 'Allowed choices are free, pro, business, enterprise'],
    [['create', 'C-17'], "unknown command 'create'"],
  ])('of accounts, %j, prints the reason and exits with code 2', async (args, message) => {
    const { code, stdout, stderr } = await cli(['accounts', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/\nAdd --help for what it takes\.\n$/);
  });

  test('no command prints the usage, and --help prints the help', async () => {
    const nothing = await cli(['keys']);
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    const help = await cli(['keys', '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: nothing.stderr });
    expect(help.stdout).toMatch(/^Usage: npm run keys -- /);
    for (const command of [
      'create',
      'list',
      'show',
      'set-plan',
      'rotate',
      'suspend',
      'resume',
      'revoke',
      'unban',
    ]) {
      expect(help.stdout).toContain(`\n  ${command} `);
      const own = await cli(['keys', command, '--help']);
      expect(own).toMatchObject({ code: 0, stderr: '' });
      expect(own.stdout).toMatch(new RegExp(`^Usage: npm run keys -- ${command} `));
    }
  });
});

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
