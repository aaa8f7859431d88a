import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AuditEntry, IssuedKey, Key, KeyDetails } from '@animal-store/contract/admin';
import {
  freePort,
  type Server,
  startServer,
  temporaryDirectory,
  until,
} from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken } from '../support/admin.ts';
import { createDatabase, type TestDatabase } from '../support/databases.ts';
import { call, startService } from '../support/test-service.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

type Run = { readonly code: number; readonly stdout: string; readonly stderr: string };
type Environment = Readonly<Record<string, string>>;

/** Runs a program to its end, with nothing of this process's environment but the way to programs. */
function execute(command: string, args: readonly string[], env: Environment): Promise<Run> {
  return new Promise((resolve) => {
    // biome-ignore lint/style/noProcessEnv: npm and sh are wherever this machine has them
    const { PATH, HOME } = process.env;
    // As servers of the testkit: most of a command's time is the compilation of its modules.
    const NODE_COMPILE_CACHE = join(repository, 'node_modules/.cache/node');
    const environment = { PATH, HOME, NODE_COMPILE_CACHE, ...env };
    execFile(command, args, { cwd: repository, env: environment }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, stdout, stderr });
    });
  });
}

const nobody = '00000000-0000-4000-8000-000000000000';
const anyTime = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`;

describe('beside an embedded server', () => {
  let database: TestDatabase;
  let server: Server;

  beforeAll(async () => {
    database = await createDatabase('embedded');
    // Rolls up so late that the last use of a key does not change during the tests.
    server = await startServer({ env: { ...database.env, USAGE_ROLL_UP_MS: '600000' } });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** Runs a command that is told nothing but the data directory. */
  const keys = (...args: string[]) =>
    execute(process.execPath, [cli, 'keys', ...args], database.env);

  /** Runs a command that must succeed, and reads its JSON. */
  async function json<Result>(...args: string[]): Promise<Result> {
    const { code, stdout, stderr } = await keys(...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Result;
  }

  const use = async (token: string) => (await call(`${server.baseUrl}/pets`, { token })).status;

  test('create creates a key that is valid at once and prints it', async () => {
    const { code, stdout, stderr } = await keys(
      ...['create', '--name', 'acme', '--plan', 'pro', '--expires', '90d', '--account', 'C-17'],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(
        [
          '^  Id         [0-9a-f-]{36}',
          '  Name       acme',
          '  Account    C-17',
          '  Plan       pro: 300 per minute, 10,000 per day',
          '  State      active',
          `  Created    ${anyTime}`,
          `  Expires    ${anyTime}`,
          '  Last used  never',
          '  Tokens     ast_....…',
          '',
          '  Token  ast_[0-9A-Za-z]{36}',
          '',
          'Keep the token: it is not shown again.\n$',
        ].join('\n'),
      ),
    );
    expect(await use(/ast_\w{36}/.exec(stdout)?.[0] ?? '')).toBe(200);
  });

  test('create accepts the expiry as a duration or as a time', async () => {
    const before = Date.now();
    const { key } = await json<IssuedKey>('create', '--plan', 'free', '--expires', '24h');
    const after = Date.now();
    const expiresAt = Date.parse(key.expiresAt ?? '') - 86_400_000;
    expect(expiresAt >= before && expiresAt <= after).toBe(true);

    const until = ['--expires', '2099-01-31T00:00:00+01:00'];
    const exact = await json<IssuedKey>('create', '--plan', 'free', ...until);
    expect(exact.key.expiresAt).toBe('2099-01-30T23:00:00.000Z');
  });

  test('a key is found, updated and followed in the audit log', async () => {
    const { key } = await json<IssuedKey>(
      ...['create', '--name', 'Searched', '--account', 'S-1', '--plan', 'free'],
      ...['--reason', 'Contract 7'],
    );
    for (const filter of [
      ['--name', 'SEARCH'],
      ['--account', 'S-1', '--state', 'active'],
    ]) {
      expect((await json<Key[]>('list', ...filter)).map(({ id }) => id)).toEqual([key.id]);
    }
    expect((await keys('list', '--unused-for', '1d')).stdout).toBe('There are no such keys.\n');
    const updated = await json<Key>(
      ...['update', key.id, '--name', 'Found', '--no-account', '--expires', '90d'],
    );
    expect(updated).toMatchObject({ name: 'Found', account: null, expiresAt: expect.any(String) });
    expect(await json<Key>('update', key.id, '--no-expires')).toMatchObject({ expiresAt: null });
    expect(await keys('update', key.id)).toMatchObject({ code: 2, stdout: '' });

    const audit = (...args: string[]) =>
      execute(process.execPath, [cli, 'audit', '--key', key.id, ...args], database.env);
    const { code, stdout, stderr } = await audit('--since', '1h', '--limit', '2');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(
        `^AT +WHO +ACTION +ID +NAME +CHANGE +REASON
${anyTime}  local user  key.changed  ${key.id}  Found  expiresAt ${anyTime} → - +-
${anyTime}  local user  key.changed  ${key.id}  Found  name Searched → Found, account S-1 → -, .*
$`,
      ),
    );
    const entries = JSON.parse((await audit('--json')).stdout) as AuditEntry[];
    expect(entries.map(({ action, reason }) => [action, reason])).toEqual([
      ['key.changed', null],
      ['key.changed', null],
      ['key.created', 'Contract 7'],
    ]);
    expect((await audit('--action', 'key.revoked')).stdout).toBe('There are no such entries.\n');
    expect(await audit('--action', 'nothing')).toMatchObject({ code: 2, stdout: '' });
  });

  test('a key can be changed, rotated and revoked', async () => {
    const numbers = ['--per-minute', '7', '--per-day', '8'];
    const { key, token } = await json<IssuedKey>('create', '--plan', 'enterprise', ...numbers);
    expect(key.quota).toEqual({ perMinute: 7, perDay: 8 });
    expect(await use(token)).toBe(200);

    const shown = await keys('show', key.id);
    expect(shown.stdout).toMatch(
      new RegExp(
        `\n  Minute     6 of 7 left, resets ${anyTime}\n  Day        7 of 8 left, resets ${anyTime}\n  Strikes    0 \\(banned above 10\\)\n  Banned     no\n$`,
      ),
    );
    expect((await json<KeyDetails>('show', key.id)).usage.windows.minute.remaining).toBe(6);

    const changed = await json<Key>('set-plan', key.id, 'business');
    expect(changed).toMatchObject({ plan: 'business', quota: { perMinute: 1_000 } });
    const back = await json<Key>('set-plan', key.id, 'enterprise', ...numbers);
    expect(back).toEqual(key);

    const rotated = await keys('rotate', key.id);
    expect(rotated.stdout).toMatch(
      new RegExp(
        `  Tokens     ast_....…\n             ${token.slice(0, 8)}…  replaced, valid until ${anyTime}\n`,
      ),
    );
    const second = /ast_\w{36}/.exec(rotated.stdout)?.[0] ?? '';
    expect([await use(token), await use(second)]).toEqual([200, 200]);
    const last = await json<IssuedKey>('rotate', key.id, '--grace', '0');
    expect([await use(token), await use(second), await use(last.token)]).toEqual([401, 401, 200]);

    expect((await json<KeyDetails>('unban', key.id)).usage.bannedUntil).toBe(null);

    const revoked = await keys('revoke', key.id);
    expect(revoked.stdout).toMatch(new RegExp(`\n  State      revoked ${anyTime}\n`));
    expect(await use(last.token)).toBe(401);
    expect((await keys('revoke', key.id)).stdout).toBe(revoked.stdout);
    expect(await keys('rotate', key.id)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: The key is revoked: make a new one.\n',
    });
  });

  test('list prints an aligned table, or JSON with --json', async () => {
    const made: string[] = [];
    for (const name of ['日本 🐈', 'a']) {
      const { key } = await json<IssuedKey>('create', '--plan', 'business', '--name', name);
      made.push(key.id);
    }
    await keys('revoke', made[0] ?? '');
    const { code, stdout } = await keys('list', '--plan', 'business');
    expect(code).toBe(0);
    const [first, second] = made;
    expect(stdout.replaceAll(/ast_..../g, 'ast_....')).toBe(
      [
        `ID${' '.repeat(36)}NAME     ACCOUNT  PLAN      PER MINUTE  PER DAY  STATE    TOKENS     EXPIRES  LAST USED`,
        `${second}  a        -        business  1,000       100,000  active   ast_....…  never    never`,
        `${first}  日本 🐈  -        business  1,000       100,000  revoked  ast_....…  never    never\n`,
      ].join('\n'),
    );

    const active = await json<Key[]>('list', '--plan', 'business', '--state', 'active');
    expect(active.map(({ id }) => id)).toEqual([second]);
    expect(await json<Key[]>('list', '--limit', '1')).toHaveLength(1);
    expect((await keys('list', '--state', 'expired')).stdout).toBe('There are no such keys.\n');
  });

  test('the usage of a key is drawn, and the busiest keys are listed', async () => {
    await using quick = await createDatabase('embedded');
    await using used = await startServer({
      env: { ...quick.env, USAGE_FLUSH_MS: '20', USAGE_ROLL_UP_MS: '20' },
    });
    const run = (...args: string[]) => execute(process.execPath, [cli, ...args], quick.env);
    const made = await run('keys', 'create', '--plan', 'pro', '--name', 'acme', '--json');
    const { key, token } = JSON.parse(made.stdout) as IssuedKey;
    const unused = await run('keys', 'usage', key.id);
    expect(unused).toMatchObject({ code: 0, stdout: expect.stringMatching(/^There were no req/) });
    for (let n = 0; n < 3; n += 1) await call(`${used.baseUrl}/pets`, { token });

    const drawn = await until(async () => {
      const { stdout } = await run('keys', 'usage', key.id, '--since', '7d');
      return stdout.includes('  3  ') && stdout;
    });
    expect(drawn).toMatch(
      /^Requests by day from .*\n\n(.* {2}0\n){7}.* {2}3 {2}█{60}\n\nOPERATION {2}OK\n/,
    );
    const json = await run('keys', 'usage', key.id, '--since', '30m', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ keyId: key.id, bucket: 'minute' });
    const top = await run('usage', 'top', '--since', '1d', '--plan', 'pro', '--limit', '5');
    expect(top.stdout).toMatch(
      new RegExp(`\n${key.id}  acme  -        pro   3         0       0\n$`),
    );
    expect(await run('usage', 'top', '--account', 'C-17')).toMatchObject({
      stdout: expect.stringMatching(/^No such key made a request/),
    });
    expect(await run('usage', 'top', '--since', '90d')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: from: expected at most 31 buckets of a day before to, got 91\n',
    });
    expect(await run('usage', 'top', '--since', 'yesterday')).toMatchObject({ code: 2 });
  });

  test('operators are created, listed, rotated and revoked', async () => {
    const operators = (...args: string[]) =>
      execute(process.execPath, [cli, 'operators', ...args], database.env);
    const created = await operators('create', '--name', 'Ann', '--role', 'operator');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const [token = ''] = /aso_\w{36}/.exec(created.stdout) ?? [];
    const [, id = ''] = /^ {2}Id +(\S+)$/m.exec(created.stdout) ?? [];
    const listed = await operators('list');
    expect(listed.stdout).toMatch(
      new RegExp(`^ID .*EXPIRES\n${id}  Ann   operator  active  ${token.slice(0, 8)}…  never\n$`),
    );

    // The token works where the socket is not used.
    const env = { OPS_URL: server.opsUrl, ADMIN_TOKEN: token };
    const list = await execute(process.execPath, [cli, 'keys', 'list'], env);
    expect(list).toMatchObject({ code: 0, stderr: '' });
    const refused = await execute(process.execPath, [cli, 'operators', 'revoke', id], env);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: This operation needs the role owner.\n',
    });

    const rotated = await operators('rotate', id, '--grace', '0');
    expect(rotated.stdout).toMatch(/\n {2}Token {2}aso_\w{36}\n/);
    expect(await execute(process.execPath, [cli, 'keys', 'list'], env)).toMatchObject({ code: 1 });
    const revoked = await operators('revoke', id);
    expect(revoked.stdout).toMatch(new RegExp(`\n  State    revoked ${anyTime}\n`));
  });

  test('npm run keys finds the server that npm start started', async () => {
    const args = ['run', '--silent', 'keys', '--', 'list', '--json'];
    const { code, stdout } = await execute('npm', args, database.env);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'demo' }));
  });

  test.each([
    [['show', nobody], `There is no key with the id ${nobody}.`],
    [['create', '--plan', 'free', '--name', ''], 'name: expected 1 to 255 characters'],
    [
      ['create', '--plan', 'free', '--expires', '2020-01-01T00:00:00Z'],
      'expiresAt: expected a time to come',
    ],
  ])('%j fails with the message of the server', async (args, message) => {
    const { code, stdout, stderr } = await keys(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr.match(/\n/g)).toHaveLength(1);
  });
});

describe('an invalid command', () => {
  const plan = ['create', '--plan'];
  test.each([
    [['create'], "required option '--plan <plan>' not specified"],
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
    [['list', '--state', 'banned'], 'Allowed choices are active, expired, revoked'],
    [['list', '--url', 'localhost'], 'Expected an origin'],
    [['destroy'], "unknown command 'destroy'"],
    [['list', '--everything'], "unknown option '--everything'"],
  ])('%j prints the reason and exits with code 2', async (args, message) => {
    const { code, stdout, stderr } = await execute(process.execPath, [cli, 'keys', ...args], {});
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/\nAdd --help for what it takes\.\n$/);
  });

  test('no command prints the usage, and --help prints the help', async () => {
    const nothing = await execute(process.execPath, [cli, 'keys'], {});
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    const help = await execute(process.execPath, [cli, 'keys', '--help'], {});
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: nothing.stderr });
    expect(help.stdout).toMatch(/^Usage: npm run keys -- /);
    for (const command of ['create', 'list', 'show', 'set-plan', 'rotate', 'revoke', 'unban']) {
      expect(help.stdout).toContain(`\n  ${command} `);
      const own = await execute(process.execPath, [cli, 'keys', command, '--help'], {});
      expect(own).toMatchObject({ code: 0, stderr: '' });
      expect(own.stdout).toMatch(new RegExp(`^Usage: npm run keys -- ${command} `));
    }
  });
});

describe('without a server of its own', () => {
  const list = (env: Environment, ...args: string[]) =>
    execute(process.execPath, [cli, 'keys', 'list', ...args], env);

  test('it says that no server runs on the data directory', async () => {
    await using directory = await temporaryDirectory();
    expect(await list({ DATA_DIR: directory.path })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: No server runs on ${directory.path}. Start it (npm start), or set DATA_DIR, or OPS_URL and ADMIN_TOKEN.\n`,
    });
  });

  test('it says that a data directory cannot be used, and only if it needs one', async () => {
    await using directory = await temporaryDirectory();
    const DATA_DIR = join(directory.path, 'file');
    await writeFile(DATA_DIR, '');
    expect(await list({ DATA_DIR })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${join(DATA_DIR, 'ops.sock')} cannot be used: ENOTDIR.\n`,
    });
    const OPS_URL = `http://127.0.0.1:${await freePort()}`;
    const { stderr } = await list({ DATA_DIR, OPS_URL, ADMIN_TOKEN: adminToken });
    expect(stderr).toMatch(/^error: No server answers at /);
  });

  test('it neither sends nor prints an invalid token', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'token');
    await writeFile(file, `${adminToken}\nand a note\n`);
    expect(await list({}, '--url', 'http://127.0.0.1:1', '--token-file', file)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${file} holds no admin token: 16 to 256 visible ASCII characters.\n`,
    });
  });

  // It once sent the token to whoever listened on the port that a killed server had left behind.
  test('it sends nothing to a port after its server was killed', async () => {
    await using database = await createDatabase('embedded');
    await using server = await startServer({ env: database.env });
    await server.kill();
    let connections = 0;
    await using squatter = createServer(() => {
      connections += 1;
    }).listen(Number(new URL(server.opsUrl).port), '127.0.0.1');
    await once(squatter, 'listening');
    expect(await list(database.env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: No server answers at ${database.env['DATA_DIR']}: ECONNREFUSED. Is it running?\n`,
    });
    expect(connections).toBe(0);
  });

  test('it requires a token if only a URL is given', async () => {
    const url = 'http://127.0.0.1:3002';
    expect(await list({ OPS_URL: url })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: There is no admin token for ${url}. Set ADMIN_TOKEN, or give --token-file.\n`,
    });
  });

  test('it says that no server answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await list({ OPS_URL: url, ADMIN_TOKEN: adminToken })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: No server answers at ${url}: ECONNREFUSED. Is it running?\n`,
    });
  });

  test('it names invalid settings without printing their values', async () => {
    const { code, stderr } = await list({ OPS_URL: 'nowhere', ADMIN_TOKEN: 'hush' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: OPS_URL: expected .*\nADMIN_TOKEN: expected .*\n$/);
    expect(stderr).not.toMatch(/nowhere|hush/);
  });

  test('it uses the server and the token of its settings', async () => {
    await using service = await startService('postgres', { env: { ADMIN_TOKEN: adminToken } });
    await using directory = await temporaryDirectory();
    const url = service.server.opsUrl;
    const file = join(directory.path, 'token');
    await writeFile(file, `${adminToken}\n`);

    const byEnvironment = await list({ OPS_URL: url, ADMIN_TOKEN: adminToken }, '--json');
    expect((JSON.parse(byEnvironment.stdout) as Key[]).map(({ name }) => name)).toEqual([
      'enterprise',
      'business',
      'pro',
      'free',
    ]);
    // Options go before the environment.
    const wrong = { OPS_URL: 'http://127.0.0.1:1', ADMIN_TOKEN: 'not-the-admin-token' };
    const byOptions = await list(wrong, '--json', '--url', url, '--token-file', file);
    expect(byOptions).toEqual(byEnvironment);

    expect(await list({ OPS_URL: url, ADMIN_TOKEN: 'not-the-admin-token' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: The admin token is not right. Check ADMIN_TOKEN or --token-file.\n',
    });
    const publicPort = await list({ OPS_URL: service.server.origin, ADMIN_TOKEN: adminToken });
    expect(publicPort).toMatchObject({ code: 1, stderr: expect.stringContaining('no admin API') });
  });

  test('it reads all pages of a long list', async () => {
    await using service = await startService('postgres', { env: { ADMIN_TOKEN: adminToken } });
    const url = service.server.opsUrl;
    for (let n = 0; n < 98; n++) {
      await call(`${url}/admin/v1/keys`, { token: adminToken, json: '{"plan":"free"}' });
    }
    const env = { OPS_URL: url, ADMIN_TOKEN: adminToken };
    const all = JSON.parse((await list(env, '--json')).stdout) as Key[];
    expect(new Set(all.map(({ id }) => id)).size).toBe(102);
    const some = JSON.parse((await list(env, '--json', '--limit', '101')).stdout) as Key[];
    expect(some).toEqual(all.slice(0, 101));
  });
});
