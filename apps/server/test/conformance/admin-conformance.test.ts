import { readFileSync } from 'node:fs';
import {
  adminBasePath,
  adminRoutes,
  type IssuedOperator,
  type OperatorRole,
} from '@animal-store/contract/admin';
import { openTcpProxy, type Server, startServer, type TcpProxy } from '@animal-store/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { type Answer, send } from '../support/send.ts';
import { faultsOf, judge } from './judge.ts';
import { type Operation, operationsOf } from './open-api.ts';

// The same cases in every run.
fc.configureGlobal({ seed: 1 });

const committed = new URL('../../../../packages/contract/admin-openapi.json', import.meta.url);

const nobody = '00000000-0000-4000-8000-000000000000';

const stack = new AsyncDisposableStack();
let proxy: TcpProxy;
let server: Server;
let operations: readonly Operation[];
/** Each operation with each status that it has answered. */
const met = new Set<string>();

beforeAll(async () => {
  const database = stack.use(await createDatabase('postgres'));
  const url = database.env['DATABASE_URL'] ?? '';
  const { hostname: host, port } = new URL(url);
  proxy = stack.use(await openTcpProxy({ target: { host, port: Number(port) } }));
  server = stack.use(
    await startServer({ env: { DATABASE_URL: proxy.via(url), ADMIN_TOKEN: adminToken } }),
  );
  const { status, body } = await adminOf(server).call('/openapi.json');
  expect(status).toBe(200);
  operations = operationsOf(body);
});
afterAll(() => stack.disposeAsync());

type Question = {
  /** Another method than the operation's own. */
  readonly method?: string;
  /** Of a key or an operator, whichever the operation is about. */
  readonly id?: string;
  readonly query?: string;
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const operationOf = (name: string): Operation => {
  const operation = operations.find(({ operationId }) => operationId === name);
  if (operation === undefined) throw new Error(`There is no operation ${name}.`);
  return operation;
};

/** Sends a request to an operation, and holds the answer against the document. */
async function ask(name: string, question: Question = {}): Promise<Answer> {
  const operation = operationOf(name);
  const { method = operation.method, id = nobody, query = '', json, headers } = question;
  const answer = await send(server.opsUrl + adminBasePath, {
    method,
    target: operation.path.replace(/\{\w+\}/, encodeURIComponent(id)) + query,
    headers: {
      Authorization: `Bearer ${adminToken}`,
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: json,
  });
  expect(judge(operation, method, answer), `${name}: ${answer.text}`).toEqual([]);
  met.add(`${name} ${answer.status}`);
  return answer;
}

const statusOf = async (name: string, question?: Question) => (await ask(name, question)).status;

/** Creates a key and gives its id. */
async function create(json: string): Promise<string> {
  return JSON.parse((await ask('createKey', { json })).text).key.id;
}

/** Creates an operator. */
async function createOperator(role: OperatorRole): Promise<IssuedOperator> {
  const json = JSON.stringify({ name: 'Ann', role });
  return JSON.parse((await ask('createOperator', { json })).text);
}

/** What a request carries that is sent with a session. */
const ofSession = { Authorization: '' };

/** Begins the session that later requests are sent with. */
async function beginSession(): Promise<void> {
  const { token } = JSON.parse((await ask('createSession')).text);
  ofSession.Authorization = `Bearer ${token}`;
}

/** A request of each operation, to which nothing is wrong. */
const everyOperation: readonly (readonly [name: string, question: Question])[] = [
  ['createKey', { json: '{"plan":"free"}' }],
  ['listKeys', {}],
  ['getKey', {}],
  ['changeKey', { json: '{"plan":"pro"}' }],
  ['rotateKey', {}],
  ['revokeKey', {}],
  ['suspendKey', {}],
  ['resumeKey', {}],
  ['unbanKey', {}],
  ['listAccounts', {}],
  ['getAccount', {}],
  ['setAccountPlan', { json: '{"plan":"pro"}' }],
  ['suspendAccount', {}],
  ['resumeAccount', {}],
  ['createOperator', { json: '{"name":"Ann","role":"viewer"}' }],
  ['listOperators', {}],
  ['rotateOperator', {}],
  ['revokeOperator', {}],
  ['getKeyUsage', {}],
  ['getUsage', {}],
  ['getDeprecation', {}],
  ['getOverview', {}],
  ['createSession', {}],
  ['endSession', { headers: ofSession }],
  ['listAuditEntries', {}],
];

const isAboutOne = (name: string) => operationOf(name).path.includes('{');

test('the document is served as it is committed', async () => {
  const { headers, text } = await send(server.opsUrl + adminBasePath, {
    method: 'GET',
    target: '/openapi.json',
    headers: { Authorization: `Bearer ${adminToken}` },
  });
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(committed, 'utf8')));
  expect(operations.map(({ operationId }) => operationId)).toEqual(
    everyOperation.map(([name]) => name),
  );
});

test('its server URL resolves to the address at which it was read', () => {
  const { servers } = JSON.parse(readFileSync(committed, 'utf8'));
  const readAt = 'http://tunnel.example:8443/admin/v1/openapi.json';
  expect(new URL(servers[0].url, readAt).href).toBe(`http://tunnel.example:8443${adminBasePath}`);
});

test('it requires the admin token', async () => {
  const { status, body } = await adminOf(server).call('/openapi.json', { token: null });
  expect([status, body]).toEqual([401, expect.objectContaining({ code: 'unauthorized' })]);
});

test('creating, changing, rotating and revoking a key conform to the document', async () => {
  const keyId = await create('{"plan":"enterprise","quota":{"perMinute":5,"perDay":6}}');
  await create(
    '{"plan":"free","name":"Łódź 🐈","account":"C-17","expiresAt":"2099-01-31T00:00:00Z"}',
  );
  expect(await statusOf('getKey', { id: keyId })).toBe(200);
  expect(await statusOf('getKey', { id: keyId, method: 'HEAD' })).toBe(200);
  expect(
    await statusOf('changeKey', { id: keyId, json: '{"quota":{"perMinute":7,"perDay":8}}' }),
  ).toBe(200);
  expect(await statusOf('rotateKey', { id: keyId })).toBe(200);
  expect(await statusOf('rotateKey', { id: keyId, json: '{"graceSeconds":60}' })).toBe(200);
  expect(await statusOf('suspendKey', { id: keyId, query: '?reason=unpaid' })).toBe(200);
  expect(await statusOf('getKey', { id: keyId })).toBe(200);
  expect(await statusOf('resumeKey', { id: keyId })).toBe(200);
  expect(await statusOf('unbanKey', { id: keyId })).toBe(200);
  expect(await statusOf('getKeyUsage', { id: keyId, query: '?bucket=day' })).toBe(200);
  const csv = { headers: { Accept: 'text/csv' } };
  expect(await statusOf('getKeyUsage', { id: keyId, ...csv })).toBe(200);
  expect(await statusOf('getUsage', csv)).toBe(200);
  for (const name of ['listKeys', 'listAccounts', 'listAuditEntries'] as const) {
    expect(await statusOf(name, csv)).toBe(200);
  }
  expect(await statusOf('getUsage', { query: '?groupBy=key&plan=pro&account=C-17' })).toBe(200);
  const page = await ask('listKeys', { query: '?limit=1&plan=enterprise&state=active' });
  expect(page.headers.has('Link')).toBe(false);
  expect((await ask('listKeys', { query: '?limit=1' })).headers.get('Link')).toContain(
    'rel="next"',
  );
  expect(await statusOf('revokeKey', { id: keyId })).toBe(200);
  expect(await statusOf('rotateKey', { id: keyId })).toBe(409);
  expect(await statusOf('changeKey', { id: keyId, json: '{"plan":"pro"}' })).toBe(409);
  expect(await statusOf('suspendKey', { id: keyId })).toBe(409);
  expect(await statusOf('resumeKey', { id: keyId })).toBe(409);
  expect((await ask('listKeys', { query: '?state=revoked' })).text).toContain(keyId);

  const query = `?keyId=${keyId}&actor=admin_token&from=2026-01-01T00:00:00Z`;
  const entries = JSON.parse((await ask('listAuditEntries', { query })).text);
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    'key.revoked',
    'key.unbanned',
    'key.resumed',
    'key.suspended',
    'key.rotated',
    'key.rotated',
    'key.changed',
    'key.created',
  ]);
  expect((await ask('listAuditEntries', { query: '?limit=1' })).headers.get('Link')).toContain(
    'rel="next"',
  );
});

test('the life of an account is as the document says', async () => {
  const id = 'Ünïcode/100 %';
  const json = '{"plan":"enterprise","quota":{"perMinute":5,"perDay":6}}';
  expect(await statusOf('setAccountPlan', { id, json, query: '?reason=contract' })).toBe(200);
  await create(JSON.stringify({ account: id }));
  expect(await statusOf('getAccount', { id })).toBe(200);
  expect(await statusOf('getAccount', { id, query: '?include=history' })).toBe(200);
  expect(await statusOf('suspendAccount', { id, query: '?reason=unpaid' })).toBe(200);
  expect(await statusOf('getAccount', { id, method: 'HEAD' })).toBe(200);
  expect(await statusOf('listAccounts', { query: '?suspended=true&plan=enterprise' })).toBe(200);
  expect(await statusOf('resumeAccount', { id })).toBe(200);
  const query = `?account=${encodeURIComponent(id)}`;
  expect(await statusOf('listAuditEntries', { query })).toBe(200);
  expect(await statusOf('setAccountPlan', { id, json: '{"plan":null}' })).toBe(200);
  expect(await statusOf('setAccountPlan', { id: 'another', json })).toBe(200);
  expect((await ask('listAccounts', { query: '?limit=1' })).headers.get('Link')).toContain(
    'rel="next"',
  );
});

test('the life of an operator is as the document says', async () => {
  const { operator } = await createOperator('viewer');
  const { id } = operator;
  expect(await statusOf('listOperators')).toBe(200);
  expect(await statusOf('rotateOperator', { id })).toBe(200);
  expect(await statusOf('rotateOperator', { id, json: '{"graceSeconds":60}' })).toBe(200);
  expect(await statusOf('revokeOperator', { id })).toBe(200);
  expect(await statusOf('rotateOperator', { id })).toBe(409);
});

test('the life of a session is as the document says', async () => {
  await beginSession();
  expect(await statusOf('createSession', { headers: ofSession })).toBe(401);
  expect(await statusOf('endSession')).toBe(401);
  expect(await statusOf('endSession', { headers: ofSession })).toBe(200);
  await beginSession();
});

test('a role that is not enough is refused as the document says', async () => {
  const { token } = await createOperator('viewer');
  const headers = { Authorization: `Bearer ${token}` };
  for (const [name, question] of everyOperation) {
    if (adminRoutes[name as keyof typeof adminRoutes].role === 'viewer') continue;
    expect(await statusOf(name, { ...question, headers })).toBe(403);
  }
});

describe('a body is refused if and only if the document does not allow it:', () => {
  const name = (text: string) => JSON.stringify({ plan: 'free', name: text });
  const bodies = [
    ['createKey', '{"plan":"business"}'],
    ['createKey', '{"plan":"enterprise"}'],
    ['createKey', '{"plan":"enterprise","quota":{"perMinute":2147483647,"perDay":1}}'],
    ['createKey', '{"plan":"enterprise","quota":{"perMinute":2147483648,"perDay":1}}'],
    ['createKey', '{"plan":"enterprise","quota":{"perMinute":0,"perDay":1}}'],
    ['createKey', '{"plan":"enterprise","quota":{"perMinute":1.5,"perDay":1}}'],
    ['createKey', '{"plan":"enterprise","quota":{"perMinute":1}}'],
    ['createKey', '{"plan":"enterprise","quota":{"perMinute":1,"perDay":1,"perHour":1}}'],
    ['createKey', '{"plan":"free","quota":{"perMinute":1,"perDay":1}}'],
    ['createKey', '{"plan":"free","quota":null}'],
    ['createKey', '{"plan":"gold"}'],
    ['createKey', '{}'],
    ['createKey', '[]'],
    ['createKey', 'null'],
    ['createKey', name('x'.repeat(255))],
    ['createKey', name('🐈'.repeat(255))],
    ['createKey', name('x'.repeat(256))],
    ['createKey', name('')],
    ['createKey', name('a\u0007b')],
    ['createKey', name('a\u0085b')],
    ['createKey', '{"plan":"free","name":null}'],
    ['createKey', '{"plan":"free","expiresAt":"2099-02-28T23:59:59.5+14:00"}'],
    ['createKey', '{"plan":"free","expiresAt":"2099-02-29T00:00:00Z"}'],
    ['createKey', '{"plan":"free","expiresAt":"2099-02-28T00:00:00"}'],
    ['createKey', '{"plan":"free","expiresAt":"2099-02-28"}'],
    ['createKey', '{"plan":"free","expiresAt":4070908800}'],
    ['createKey', '{"plan":"free","expiresAT":"2099-02-28T00:00:00Z"}'],
    ['changeKey', '{"plan":"business"}'],
    ['changeKey', '{"plan":"enterprise","quota":{"perMinute":5,"perDay":6}}'],
    ['changeKey', '{"plan":"pro","quota":{"perMinute":5,"perDay":6}}'],
    ['changeKey', '{"plan":"pro","name":"acme"}'],
    ['changeKey', '{"name":null,"account":null,"expiresAt":null}'],
    ['changeKey', '{"name":""}'],
    ['changeKey', JSON.stringify({ account: '🐈'.repeat(255) })],
    ['changeKey', JSON.stringify({ account: '🐈'.repeat(256) })],
    ['changeKey', '{"expiresAt":"2099-02-28T23:59:59.5+14:00"}'],
    ['changeKey', '{"expiresAt":"2099-02-29T00:00:00Z"}'],
    ['changeKey', '{"quota":null}'],
    ['changeKey', '{"names":"acme"}'],
    ['changeKey', '{"plan":null}'],
    ['changeKey', '{}'],
    ['rotateKey', '{}'],
    ['rotateKey', '{"graceSeconds":0}'],
    ['rotateKey', '{"graceSeconds":2592000}'],
    ['rotateKey', '{"graceSeconds":2592001}'],
    ['rotateKey', '{"graceSeconds":-1}'],
    ['rotateKey', '{"graceSeconds":0.5}'],
    ['rotateKey', '{"grace":60}'],
    ['rotateKey', 'null'],
    ['setAccountPlan', '{"plan":"business"}'],
    ['setAccountPlan', '{"plan":null}'],
    ['setAccountPlan', '{"plan":null,"quota":null}'],
    ['setAccountPlan', '{"plan":"enterprise"}'],
    ['setAccountPlan', '{"plan":"enterprise","quota":{"perMinute":2147483647,"perDay":1}}'],
    ['setAccountPlan', '{"plan":"enterprise","quota":{"perMinute":0,"perDay":1}}'],
    ['setAccountPlan', '{"plan":"pro","quota":{"perMinute":1,"perDay":1}}'],
    ['setAccountPlan', '{"plan":"gold"}'],
    ['setAccountPlan', '{"plan":"pro","keys":1}'],
    ['setAccountPlan', '{}'],
    ['setAccountPlan', 'null'],
    ['createOperator', '{"name":"Ann","role":"owner","expiresAt":"2099-02-28T00:00:00Z"}'],
    ['createOperator', '{"name":"Ann","role":"admin"}'],
    ['createOperator', '{"name":"","role":"viewer"}'],
    ['createOperator', '{"role":"viewer"}'],
    ['createOperator', '{"name":"Ann","role":"viewer","plan":"free"}'],
    ['rotateOperator', '{"graceSeconds":0}'],
    ['rotateOperator', '{"graceSeconds":-1}'],
  ].map(([operation = '', json = '']) => ({
    operation,
    json,
    shown: json.length < 100 ? json : `${json.slice(0, 40)}… of ${[...json].length} characters`,
  }));

  test.each(bodies)('$operation $shown', async ({ operation, json }) => {
    const { body } = operationOf(operation);
    if (body === undefined) throw new Error(`${operation} takes no body.`);
    const isAllowed = faultsOf(body, JSON.parse(json), 'body').length === 0;
    const id =
      operation === 'rotateOperator'
        ? (await createOperator('viewer')).operator.id
        : await create('{"plan":"pro"}');
    const status = await statusOf(operation, { id, json });
    expect(status < 300 ? 'taken' : status).toBe(isAllowed ? 'taken' : 400);
  });
});

test('the overview conforms to the document, with and without its history', async () => {
  expect(await statusOf('getOverview', {})).toBe(200);
  expect(await statusOf('getOverview', { query: '?include=history' })).toBe(200);
});

describe('refusals conform to the document:', () => {
  const withBody = [
    'createKey',
    'changeKey',
    'rotateKey',
    'setAccountPlan',
    'createOperator',
    'rotateOperator',
  ];
  test.each(withBody)('a body of %s', async (name) => {
    expect(await statusOf(name, { json: '{"plan":' })).toBe(400);
    expect(await statusOf(name, { json: `"${'x'.repeat(17_000)}"` })).toBe(413);
    const headers = { 'Content-Type': 'text/plain' };
    expect(await statusOf(name, { json: '{}', headers })).toBe(415);
  });

  test.each([
    '?limit=0',
    '?limit=101',
    '?plan=gold',
    '?state=banned',
    '?cursor=abc',
    '?name=',
    '?account=%00',
    '?tokenPrefix=ast_',
    '?tokenPrefix=ast_000000000000000000000000000000000000',
    '?banned=false',
    '?deprecatedWithinDays=0',
    '?unusedForDays=401',
    '?unusedForDays=1&unusedForDays=2',
  ])('a list %s', async (query) => {
    expect(await statusOf('listKeys', { query })).toBe(400);
  });

  test.each([
    ['listAccounts', '?limit=0'],
    ['listAccounts', '?suspended=false'],
    ['listAccounts', '?cursor=abc'],
    ['suspendAccount', '?reason='],
    ['getOverview', '?include=pages'],
    ['getKey', '?include=pages'],
    ['getUsage', '?bucket=week'],
    ['getDeprecation', '?deprecatedWithinDays=0'],
    ['getDeprecation', '?cursor=forged'],
    ['getUsage', '?from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z'],
    ['getUsage', '?groupBy=plan'],
    ['getUsage', '?groupBy=key&limit=101'],
    ['getUsage', '?groupBy=key&bucket=hour'],
    ['getUsage', '?limit=5'],
    ['listAuditEntries', '?limit=0'],
    ['listAuditEntries', '?keyId=acme'],
    ['listAuditEntries', '?actor=acme'],
    ['listAuditEntries', '?action=key.deleted'],
    ['listAuditEntries', '?account='],
    ['listAuditEntries', '?from=yesterday'],
    ['listAuditEntries', '?cursor=abc'],
    ['createKey', '?reason='],
    ['revokeKey', `?reason=${'x'.repeat(256)}`],
    ['unbanKey', '?reason=a&reason=b'],
    ['suspendKey', '?reason=%0A'],
    ['resumeKey', '?reason='],
    ['createOperator', '?reason=%00'],
  ])('%s %s', async (name, query) => {
    expect(await statusOf(name, { query })).toBe(400);
  });

  test('an unknown key or operator, and an invalid id', async () => {
    for (const [name, question] of everyOperation) {
      if (!isAboutOne(name)) continue;
      // An account may have any name, and is there as soon as it gets a plan.
      const isNamed = name.endsWith('Account') || name === 'setAccountPlan';
      const unknown = isNamed ? { ...question, id: `unknown to ${name}` } : question;
      expect(await statusOf(name, unknown)).toBe(name === 'setAccountPlan' ? 200 : 404);
      const id = isNamed ? 'x'.repeat(256) : 'acme';
      expect(await statusOf(name, { ...question, id })).toBe(400);
    }
  });

  test('another method', async () => {
    for (const [name] of everyOperation) {
      const { path } = operationOf(name);
      const own = operations.filter((each) => each.path === path).map(({ method }) => method);
      const has = own.includes('GET') ? [...own, 'HEAD'] : own;
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
        if (has.includes(method)) continue;
        const { status, headers } = await ask(name, { method });
        expect([status, headers.get('Allow')?.split(', ').sort()]).toEqual([405, has.sort()]);
      }
    }
  });

  test('a missing and a wrong token', async () => {
    // A missing token is no guess, so it has no limit.
    for (const [name] of everyOperation) {
      const answer = await askWithout(name);
      expect([answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([
        401,
        'Bearer realm="animal-store-admin"',
      ]);
    }
    const answer = await ask('listKeys', { headers: { Authorization: 'Bearer guess' } });
    expect([answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([
      401,
      'Bearer realm="animal-store-admin", error="invalid_token"',
    ]);
  });
});

/** A request without any token. */
async function askWithout(name: string): Promise<Answer> {
  const { method, path } = operationOf(name);
  const target = path.replace(/\{\w+\}/, nobody);
  const answer = await send(server.opsUrl + adminBasePath, { method, target, headers: {} });
  expect(judge(operationOf(name), method, answer)).toEqual([]);
  met.add(`${name} ${answer.status}`);
  return answer;
}

test('random requests get only answers that the document has', async () => {
  const names = everyOperation.map(([name]) => name);
  const id = fc.oneof(fc.constant(nobody), fc.uuid(), fc.string({ minLength: 1 }));
  const member = fc.constantFrom('plan', 'quota', 'name', 'role', 'expiresAt', 'graceSeconds', 'x');
  const body = fc.oneof(
    fc.json(),
    fc.dictionary(member, fc.jsonValue()).map((it) => JSON.stringify(it)),
  );
  const parameters = [
    ...[
      'limit',
      'plan',
      'state',
      'name',
      'account',
      'tokenPrefix',
      'search',
      'deprecatedWithinDays',
    ],
    ...[
      'banned',
      'unusedForDays',
      'cursor',
      'keyId',
      'operatorId',
      'actor',
      'action',
      'from',
      'to',
    ],
    ...['bucket', 'groupBy', 'reason'],
  ];
  const values = ['1', '30', 'free', 'active', 'ast_0000', 'system', 'key.created', 'key', nobody];
  const value = fc.oneof(fc.constantFrom(...values, '2026-11-21T00:00:00Z'), fc.string());
  const query = fc
    .array(fc.tuple(fc.constantFrom(...parameters), value), { maxLength: 3 })
    .map((pairs) => `?${new URLSearchParams(pairs)}`);
  const request = fc.record({ name: fc.constantFrom(...names), id, body, query });
  await fc.assert(
    fc.asyncProperty(request, async ({ name, id, body, query }) => {
      // `.` and `..` are removed from paths before they are sent.
      fc.pre(!/^\.+$/.test(id));
      const json = operationOf(name).body === undefined ? undefined : body;
      const status = await statusOf(name, { id, query, ...(json !== undefined && { json }) });
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 400 },
  );
});

test('every operation conforms to the document while the database is down', async () => {
  await proxy.cut();
  const statuses = everyOperation.map(([name, question]) => statusOf(name, question));
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([503]));
  await proxy.resume();
});

test('a wrong admin token gets 429 after ten of them, as the document says', async () => {
  const headers = { Authorization: 'Bearer guess' };
  for (let n = 0; n < 10; n++) await statusOf('listKeys', { headers });
  await Promise.all(
    [...everyOperation].map(async ([name, question]) =>
      expect(await statusOf(name, { ...question, headers })).toBe(429),
    ),
  );
});

test('every response in the document has occurred, except internal errors', () => {
  const promised = operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
  expect([...met].sort()).toEqual(promised.filter((answer) => !answer.endsWith(' 500')).sort());
});
