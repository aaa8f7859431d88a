import { readFileSync } from 'node:fs';
import type { AuditEntry, IssuedKey, IssuedOperator } from '@animal-store/admin-contract';
import { cli } from '@animal-store/cli/testing';
import { createClockAtNoon } from '@animal-store/runtime/test-clock';
import { freePort } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { createDatabase, type TestDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer, untilPassing } from '../support/local-server.ts';
import { call } from '../support/test-service.ts';

const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');

/** The clock of the service. The CLI and the database use the clock of the machine instead. */
const clock = createClockAtNoon();
let database: TestDatabase;
let server: LocalServer;

beforeAll(async () => {
  database = await createDatabase('embedded');
  server = await openLocalServer(database.env, { clock, usage: { flushMs: 20 } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** Runs a CLI command that must succeed, and returns its output. */
async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args, database.env);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

async function json<Result>(...args: string[]): Promise<Result> {
  return JSON.parse(await run(...args, '--json')) as Result;
}

const use = async (token: string) => (await call(`${server.baseUrl}/pets`, { token })).status;
const tokenIn = (text: string) => /as[to]_\w{36}/.exec(text)?.[0] ?? '';

/** Replaces the parts of an output that differ in each run, such as ids and times. */
const settle = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, '{time}')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\dZ/g, '{minute}')
    .replaceAll(/as[to]_\w{36}/g, '{token}')
    .replaceAll(/as[to]_\w{4}…/g, '{prefix}')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}');

test('the commands in the README of the CLI have their documented effects when they run one after the other', async () => {
  const lines = [
    ...readme.matchAll(/^npm run (keys|accounts|operators|audit|usage) -- ([^#\n]*)/gm),
  ];
  expect(lines).toHaveLength(30);
  /** The ids of the first API key and of the first operator that a command created. */
  const ids: Record<string, string> = {};
  for (const [, group = '', rest = ''] of lines) {
    const id = ids[group === 'operators' ? group : 'keys'] ?? '';
    const args = rest.trim().match(/"[^"]*"|\S+/g) ?? [];
    const given = args.map((arg) => arg.replaceAll('"', '').replace('<id>', id));
    const stdout = await run(group, ...given);
    if (given[0] === 'create') ids[group] ??= /ID +(\S+)/.exec(stdout)?.[1] ?? '';
  }
  const entries = await json<AuditEntry[]>('audit', '--key', ids['keys'] ?? '');
  expect(entries.map(({ action }) => action.slice(4))).toEqual(
    'revoked unbanned resumed suspended changed rotated changed created'.split(' '),
  );
  expect(entries.flatMap(({ reason }) => reason ?? [])).toEqual(['leaked', 'Invoice 4711 is open']);
});

test('the CLI command "keys create" shows the token of the new API key, but "keys show" never shows a token', async () => {
  const created = await run(
    ...['keys', 'create', '--name', 'acme', '--plan', 'enterprise', '--per-minute', '7'],
    ...['--per-day', '8000', '--expires', '90d', '--account', 'A-1', '--read-only'],
  );
  expect(created).toContain('  Plan       enterprise: 7 per minute, 8,000 per day\n');
  expect(created).toMatch(
    /\n {2}Token {2}ast_\w{36}\n\nStore the token now: it is not shown again\.\n$/,
  );
  const [, id = ''] = /ID +(\S+)/.exec(created) ?? [];
  expect(await use(tokenIn(created))).toBe(200);
  const rotated = tokenIn(await run('keys', 'rotate', id, '--grace', '1h'));
  await run('keys', 'suspend', id, '--reason', 'unpaid');
  await run('accounts', 'set-plan', 'A-1', 'free');
  await run('accounts', 'suspend', 'A-1');
  expect(await use(rotated)).toBe(403);
  const shown = await untilPassing([server], async () => {
    const card = await run('keys', 'show', id);
    return !card.includes('never') && card;
  });
  expect(settle(shown)).toBe(`  ID                 {id}
  Name               acme
  Account            A-1
  Plan               free: 60 per minute, 1,000 per day, shared by the keys of the account A-1
  Own plan           enterprise, inactive while the account has a plan
  Scopes             pets:read
  State              suspended
  Suspended          {time}: unpaid
  Account suspended  {time}
  Created            {time}
  Expires            {time}
  Last used          {minute}
  Last refused       {minute}
  Tokens             {prefix}
                     {prefix}  replaced, valid until {time}
  Minute             60 of 60 left, resets {time}
  Day                1,000 of 1,000 left, resets {time}
  Strikes            0 (ban after 30)
  Banned             no
`);
});

test('the CLI lists API keys and their states in an aligned table', async () => {
  const create = ['keys', 'create', '--plan', 'pro', '--account', 'L-1', '--name'];
  const first = (await json<IssuedKey>(...create, '日本 🐈')).key.id;
  const second = (await json<IssuedKey>(...create, 'a')).key.id;
  await run('keys', 'revoke', first);
  await run('accounts', 'suspend', 'L-1');
  const listed = await run('keys', 'list', '--account', 'L-1');
  expect(listed.replaceAll(/ast_..../g, 'ast_....')).toBe(
    `ID                                    NAME     ACCOUNT  PLAN  PER MINUTE  PER DAY  STATE              TOKENS     EXPIRES  LAST USED
${second}  a        L-1      pro   300         10,000   account suspended  ast_....…  never    never
${first}  日本 🐈  L-1      pro   300         10,000   revoked            ast_....…  never    never
`,
  );
  expect(await run('keys', 'list', '--state', 'expired')).toBe('No keys match.\n');
});

test('the CLI shows an account with its API keys, their requests and the remaining quota', async () => {
  const name = 'Ünïcode/100 %';
  expect(await run('accounts', 'set-plan', name, 'free')).toBe(`  Account  ${name}
  Plan     free: 60 per minute, 1,000 per day, shared by the keys of the account
  State    active
  Keys     0
`);
  const create = ['keys', 'create', '--account', name, '--name'];
  const one = await json<IssuedKey>(...create, 'shop');
  const other = await json<IssuedKey>(...create, 'web');
  for (const { token } of [one, one, other]) expect(await use(token)).toBe(200);
  const shown = await untilPassing([server], async () => {
    const text = await run('accounts', 'show', name);
    return text.includes('3 requests') && text;
  });
  expect(settle(shown.slice(shown.indexOf('  Keys')))).toBe(`  Keys     2
  Minute   57 of 60 left, resets {time}
  Day      997 of 1,000 left, resets {time}
  Today    3 requests

ID                                    NAME  STATE   REQUESTS TODAY
{id}  shop  active  2
{id}  web   active  1
`);
  const listed = await run('accounts', 'list', '--search', 'ünï');
  expect(listed).toMatch(/^ACCOUNT .*DENIED TODAY\n.*\n$/);
  expect(listed.replaceAll(/ +/g, ' ')).toContain(`\n${name} free 60 1,000 active 2 3 0\n`);
});

test('the CLI warns when another account has the same name in a different letter case', async () => {
  await run('accounts', 'set-plan', 'Zoë', 'free');
  const stderr = 'Warning: account names are case-sensitive. The account "Zoë" already exists.\n';
  const warned = await cli(['accounts', 'set-plan', 'zoë', 'free'], database.env);
  expect(warned).toMatchObject({ code: 0, stderr });
  // An account name with other white space or another Unicode normal form still means the same
  // account.
  await run('accounts', 'set-plan', `\u00a0${'Zoë'.normalize('NFD')} `, 'none');
});

test('the CLI lists the changes in the audit log', async () => {
  const create = ['keys', 'create', '--name', 'Searched', '--account', 'S-1', '--plan', 'free'];
  const { key } = await json<IssuedKey>(...create);
  await run('keys', 'update', key.id, '--name', 'Found', '--no-account', '--expires', '90d');
  await run('keys', 'update', key.id, '--read-only', '--no-expires', '--reason', 'Contract 7');
  await run('keys', 'set-plan', key.id, 'enterprise', '--per-minute', '7', '--per-day', '8');
  await run('keys', 'rotate', key.id, '--grace', '0');
  const log = await run('audit', '--key', key.id, '--since', '1h', '--limit', '4');
  expect(settle(log).replaceAll(/ +/g, ' ')).toBe(`AT WHO ACTION ID NAME CHANGE REASON
{time} local user key.rotated {id} Found tokens {prefix} → {prefix} -
{time} local user key.changed {id} Found plan free → enterprise, quota 60/1000 → 7/8 -
{time} local user key.changed {id} Found scopes pets:read pets:write → pets:read, expiresAt {time} → - Contract 7
{time} local user key.changed {id} Found name Searched → Found, account S-1 → -, expiresAt {time} -
`);
  expect(await run('audit', '--action', 'ban.started')).toBe('No entries match.\n');
});

test("the CLI works from another machine with the token of an operator and the permissions of the operator's role, until the token expires", async () => {
  const { operator, token } = await json<IssuedOperator>(
    ...['operators', 'create', '--name', 'Ann', '--role', 'operator'],
  );
  // The service has no `ADMIN_TOKEN`. Neither an empty string nor a well-known value may work as
  // the token.
  for (const guess of ['', 'undefined', adminToken]) {
    expect((await adminOf(server).call('/keys', { token: guess })).status).toBe(401);
  }
  const env = { OPS_URL: server.opsUrl, ADMIN_TOKEN: token };
  expect(await cli(['keys', 'list'], env)).toMatchObject({ code: 0, stderr: '' });
  const OPS_URL = `http://127.0.0.1:${await freePort()}`;
  for (const [args, given, message] of [
    ['operators list', { OPS_URL: server.origin }, expect.stringContaining('no admin API')],
    [
      'keys list',
      { OPS_URL },
      `No server responds at ${OPS_URL}: ECONNREFUSED. Check that the server is running and that the address is right.`,
    ],
    [`operators revoke ${operator.id}`, {}, 'This operation needs the role owner.'],
    [
      'keys list',
      { ADMIN_TOKEN: token.slice(1) },
      'The admin token is not valid. Check ADMIN_TOKEN or --token-file.',
    ],
  ] as const) {
    const { code, stdout, stderr } = await cli(args.split(' '), { ...env, ...given });
    const reason = stderr.replace(/^error: /, '').trimEnd();
    expect({ code, stdout, reason }).toEqual({ code: 1, stdout: '', reason: message });
  }
  const card = settle(await run('operators', 'revoke', operator.id));
  expect(card).toContain('\n  State    revoked {time}\n');
});
