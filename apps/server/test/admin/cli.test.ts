import type {
  AuditEntry,
  IssuedKey,
  IssuedOperator,
  Key,
  KeyDetails,
} from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminOf } from '../support/admin.ts';
import { createDatabase, type TestDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import { cli, execute } from '../support/run-command.ts';
import { call } from '../support/test-service.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const anyTime = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`;

describe('beside an embedded server', () => {
  let database: TestDatabase;
  let server: LocalServer;

  beforeAll(async () => {
    database = await createDatabase('embedded');
    // Rolls up so late that the last use of a key does not change during the tests.
    server = await openLocalServer({ ...database.env, USAGE_ROLL_UP_MS: '600000' });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** Runs a command that is told nothing but the data directory. */
  const keys = (...args: string[]) => cli(['keys', ...args], database.env);

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
          '  Scopes     pets:read, pets:write',
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

    const audit = (...args: string[]) => cli(['audit', '--key', key.id, ...args], database.env);
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

  test('a key can be made to read only, and be given other scopes', async () => {
    const created = await keys('create', '--plan', 'free', '--read-only');
    expect(created.stdout).toContain('\n  Scopes     pets:read\n');
    const [, token = ''] = /Token +(ast_\w{36})/.exec(created.stdout) ?? [];
    const [, id = ''] = /Id +(\S+)/.exec(created.stdout) ?? [];
    const post = () =>
      call(`${server.baseUrl}/pets`, { token, json: '{"name":"Mia","categoryId":3}' });
    expect((await post()).status).toBe(403);
    const changed = await json<Key>('update', id, '--scopes', 'pets:write,pets:read');
    expect(changed.scopes).toEqual(['pets:read', 'pets:write']);
    expect((await post()).status).toBe(201);
  });

  test('a key can be suspended and resumed', async () => {
    const { key, token } = await json<IssuedKey>('create', '--plan', 'free');
    const suspended = await keys('suspend', key.id, '--reason', 'Invoice 4711');
    expect(suspended.stdout).toMatch(
      new RegExp(`\n  State      suspended\n  Suspended  ${anyTime}: Invoice 4711\n`),
    );
    expect(await use(token)).toBe(403);
    expect((await json<Key[]>('list', '--state', 'suspended')).map(({ id }) => id)).toEqual([
      key.id,
    ]);
    expect(await json<Key>('resume', key.id)).toMatchObject({ state: 'active', suspension: null });
    expect(await use(token)).toBe(200);
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
    const run = (...args: string[]) => cli(args, database.env);
    const { key, token } = await json<IssuedKey>('create', '--plan', 'pro', '--name', 'acme');
    const unused = await run('keys', 'usage', key.id);
    expect(unused).toMatchObject({ code: 0, stdout: expect.stringMatching(/^There were no req/) });
    for (let n = 0; n < 3; n += 1) await use(token);
    const ofAnotherPlan = await json<IssuedKey>('create', '--plan', 'free');
    await use(ofAnotherPlan.token);

    // A question has all requests before it written and rolled up, a moment after they were answered.
    const drawn = await until(async () => {
      const { stdout } = await run('keys', 'usage', key.id, '--since', '7d');
      return stdout.includes('  3  ') && stdout;
    });
    expect(drawn).toMatch(
      /^Requests by day from .*\n\n(.* {2}0\n){7}.* {2}3 {2}█{60}\n\nOPERATION {2}OK\n/,
    );
    const minutes = await run('keys', 'usage', key.id, '--since', '30m', '--json');
    expect(JSON.parse(minutes.stdout)).toMatchObject({ keyId: key.id, bucket: 'minute' });
    const top = await run('usage', 'top', '--since', '1d', '--plan', 'pro', '--limit', '5');
    expect(top.stdout).toMatch(
      new RegExp(`\n\nID [^\n]*\n${key.id}  acme  -        pro   3         0       0\n`),
    );
    expect(top.stdout).not.toContain(ofAnotherPlan.key.id);
    expect(await run('usage', 'top', '--account', 'U-2')).toMatchObject({
      stdout: expect.stringMatching(/^No such key made a request/),
    });
    expect(await run('usage', 'top', '--since', '90d')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: from: expected at most 31 buckets of a day before to, got 91\n',
    });
    expect(await run('usage', 'top', '--since', 'yesterday')).toMatchObject({ code: 2 });
  });

  test('accounts are given plans, shown, listed, suspended and resumed', async () => {
    const accounts = (...args: string[]) => cli(['accounts', ...args], database.env);
    const name = 'Ünïcode/100 %';
    const set = await accounts('set-plan', name, 'free', '--reason', 'Contract 2026-118');
    expect(set).toEqual({
      code: 0,
      stdout: [
        `  Account  ${name}`,
        '  Plan     free: 60 per minute, 1,000 per day, shared by its keys',
        '  State    active',
        '  Keys     0\n',
      ].join('\n'),
      stderr: '',
    });
    const one = await json<IssuedKey>('create', '--account', name, '--name', 'shop');
    const other = await json<IssuedKey>('create', '--account', name, '--read-only');
    for (const { token } of [one, one, other]) expect(await use(token)).toBe(200);

    const shown = await until(async () => {
      const { stdout } = await accounts('show', name);
      return stdout.includes('3 requests') && stdout;
    });
    expect(shown).toMatch(
      new RegExp(
        [
          `^  Account  ${name}`,
          '  Plan     free: .* shared by its keys',
          '  State    active',
          '  Keys     2',
          `  Minute   57 of 60 left, resets ${anyTime}`,
          `  Day      997 of 1,000 left, resets ${anyTime}`,
          '  Today    3 requests',
          '',
          'ID  .*NAME  STATE   REQUESTS TODAY',
          `${one.key.id}  shop  active  2`,
          `${other.key.id}  -     active  1\n$`,
        ].join('\n'),
      ),
    );
    const key = await keys('show', one.key.id);
    expect(key.stdout).toMatch(/\n {2}Plan {7}free: 60/);
    expect(key.stdout).toMatch(
      /\n {2}Shared {5}its account has the plan free: all of its keys use/,
    );
    const besides = await accounts('set-plan', name.toLowerCase(), 'free');
    expect(besides.stderr).toBe(
      `Warning: letter case matters: there is already the account "${name}".\n`,
    );
    await accounts('set-plan', name.toLowerCase(), 'none');
    const listed = await accounts('list', '--plan', 'free');
    expect(listed.stdout).toMatch(
      new RegExp(
        `^ACCOUNT .*REQUESTS TODAY\n${name}  free  60          1,000    active  2     3\n$`,
      ),
    );

    const suspended = await accounts('suspend', name, '--reason', 'unpaid');
    expect(suspended.stdout).toMatch(new RegExp(`\n  Suspended  ${anyTime}: unpaid\n`));
    expect(await use(one.token)).toBe(403);
    expect((await keys('show', one.key.id)).stdout).toMatch(
      new RegExp(`\n  State              suspended\n  Account suspended  ${anyTime}: unpaid\n`),
    );
    const found = await keys('list', '--state', 'suspended', '--account', name);
    expect(found.stdout.match(/ account suspended /g)).toHaveLength(2);
    const only = JSON.parse((await accounts('list', '--suspended', '--json')).stdout);
    expect(only).toMatchObject([{ account: name, suspension: { reason: 'unpaid' } }]);
    expect((await accounts('resume', name)).stdout).toContain('  State    active\n');
    expect(await use(one.token)).toBe(200);

    const taken = await accounts('set-plan', name, 'none');
    expect(taken.stdout).toContain('  Plan     none: each key has its own\n');
    expect(await accounts('show', 'nobody')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: There is no account nobody: no key has it, and it has no plan.\n',
    });
    const audit = await cli(['audit', '--account', name, '--json'], database.env);
    expect(JSON.parse(audit.stdout).map(({ action }: { action: string }) => action)).toEqual([
      ...['account.changed', 'account.resumed', 'account.suspended'],
      ...['key.created', 'key.created', 'account.changed'],
    ]);
  });

  test('operators are created, listed, rotated and revoked', async () => {
    const operators = (...args: string[]) => cli(['operators', ...args], database.env);
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
    const list = await cli(['keys', 'list'], env);
    expect(list).toMatchObject({ code: 0, stderr: '' });
    const refused = await cli(['operators', 'revoke', id], env);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: This operation needs the role owner.\n',
    });

    const rotated = await operators('rotate', id, '--grace', '0');
    expect(rotated.stdout).toMatch(/\n {2}Token {2}aso_\w{36}\n/);
    expect(await cli(['keys', 'list'], env)).toMatchObject({ code: 1 });
    const revoked = await operators('revoke', id);
    expect(revoked.stdout).toMatch(new RegExp(`\n  State    revoked ${anyTime}\n`));
  });

  test('without an ADMIN_TOKEN, named operators have the admin API, and nobody else', async () => {
    const admin = adminOf(server);
    const created = await cli(
      ['operators', 'create', '--name', 'Ann', '--role', 'owner', '--json'],
      database.env,
    );
    const { operator, token } = JSON.parse(created.stdout) as IssuedOperator;
    expect((await admin.call('/keys', { token })).status).toBe(200);
    expect((await admin.call('/keys')).status).toBe(401);
    // Other tests list those that are not revoked.
    await admin.call(`/operators/${operator.id}/revoke`, { method: 'POST', token });
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
