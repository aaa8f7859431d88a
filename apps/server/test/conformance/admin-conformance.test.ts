import { parseJson } from '@animal-store/contract';
import {
  adminBasePath,
  adminContract,
  adminRoutes,
  createAdminOpenApi,
  type IssuedOperator,
  type OperatorRole,
} from '@animal-store/contract/admin';
import { openTcpProxy, type TcpProxy } from '@animal-store/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZodType } from 'zod';
import { systemClock } from '../../src/shared/clock.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import { type Answer, send } from '../support/send.ts';
import { faultsOf, judge } from './judge.ts';
import { type Operation, operationsOf } from './open-api.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

const stack = new AsyncDisposableStack();
let proxy: TcpProxy;
let server: LocalServer;
let operations: readonly Operation[];
/** Each operation with each status that it has answered. */
const met = new Set<string>();

beforeAll(async () => {
  const database = stack.use(await createDatabase('postgres'));
  const url = database.env['DATABASE_URL'] ?? '';
  const { hostname: host, port } = new URL(url);
  proxy = stack.use(await openTcpProxy({ target: { host, port: Number(port) } }));
  server = stack.use(
    await openLocalServer(
      { DATABASE_URL: proxy.via(url), ADMIN_TOKEN: adminToken },
      { clock: systemClock, timings: { ops: { guessDelayMs: 20 } } },
    ),
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
  /** `null` for none. @default the admin token */
  readonly token?: string | null;
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
  const { token = adminToken } = question;
  const answer = await send(server.opsUrl + adminBasePath, {
    method,
    target: operation.path.replace(/\{\w+\}/, encodeURIComponent(id)) + query,
    headers: {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
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
  const named = JSON.stringify({ name: 'x', ...JSON.parse(json) });
  return JSON.parse((await ask('createKey', { json: named })).text).key.id;
}

/** Creates an operator. */
async function createOperator(role: OperatorRole): Promise<IssuedOperator> {
  const json = JSON.stringify({ name: 'Ann', role });
  return JSON.parse((await ask('createOperator', { json })).text);
}

/** Begins a session, and gives what a request is sent with that belongs to it. */
async function beginSession(): Promise<Question> {
  const { token } = JSON.parse((await ask('createSession')).text);
  return { token };
}

/** Bodies to which nothing is wrong, of operations that need one. */
const validBodies: Readonly<Record<string, string>> = {
  createKey: '{"name":"x","plan":"free"}',
  changeKey: '{"plan":"pro"}',
  setAccountPlan: '{"plan":"pro"}',
  createOperator: '{"name":"Ann","role":"viewer"}',
};

/** A request of each operation, to which nothing is wrong. */
const everyOperation = (): [name: string, question: Question][] =>
  operations.map(({ operationId }) => {
    const json = validBodies[operationId];
    return [operationId, json === undefined ? {} : { json }];
  });

test('the document is served as the contract says, to who has the admin token', async () => {
  const { status, headers, text } = await adminOf(server).call('/openapi.json');
  expect([status, headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8']);
  const document = createAdminOpenApi() as { servers: [{ url: string }] };
  expect(parseJson(text)).toEqual(document);
  // Of whichever address it was read at.
  const readAt = `http://tunnel.example:8443${adminBasePath}/openapi.json`;
  const { href } = new URL(document.servers[0].url, readAt);
  expect(href).toBe(`http://tunnel.example:8443${adminBasePath}`);
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    Object.keys(adminRoutes).sort(),
  );
  const refused = await adminOf(server).call('/openapi.json', { token: null });
  expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
});

type Step = readonly [name: string, status: number, question?: Question];

/** Asks one after the other, and checks the statuses. */
async function follow(steps: readonly Step[]): Promise<void> {
  for (const [name, status, question] of steps) {
    expect([name, await statusOf(name, question)]).toEqual([name, status]);
  }
}

const enterprise = '{"plan":"enterprise","quota":{"perMinute":5,"perDay":6}}';

async function expectNextPage(name: string): Promise<void> {
  const { headers } = await ask(name, { query: '?limit=1' });
  expect(headers.get('Link')).toContain('rel="next"');
}

// One test, because its end looks at what all of it has met, and the last part uses up the guesses.
test('every answer of the document occurs, but internal errors, and is as the document says', async () => {
  await followKey();
  await followAccount();
  await followOperators();
  await meetRefusals();
  await askAtRandom();
  await askWithoutDatabase();
  await guessTokens();
  const promised = operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
  expect([...met].sort()).toEqual(promised.filter((answer) => !answer.endsWith(' 500')).sort());
});

async function followKey(): Promise<void> {
  const id = await create(enterprise);
  await create(
    '{"plan":"free","name":"Łódź 🐈","account":"C-17","expiresAt":"2099-01-31T00:00:00Z"}',
  );
  await follow([
    ['getKey', 200, { id }],
    ['getKey', 200, { id, method: 'HEAD' }],
    ['changeKey', 200, { id, json: '{"quota":{"perMinute":7,"perDay":8}}' }],
    ['rotateKey', 200, { id }],
    ['rotateKey', 200, { id, json: '{"graceSeconds":60}' }],
    ['suspendKey', 200, { id, query: '?reason=unpaid' }],
    ['getKey', 200, { id }],
    ['resumeKey', 200, { id }],
    ['unbanKey', 200, { id }],
    ['creditKey', 200, { id }],
    ['getKeyUsage', 200, { id, query: '?bucket=day' }],
    ['getUsage', 200],
    ['getUsage', 200, { query: '?groupBy=key&plan=pro&account=C-17' }],
    ['getOverview', 200],
    ['getOverview', 200, { query: '?include=history' }],
    ['getDeprecation', 200],
    ['revokeKey', 200, { id }],
    ['rotateKey', 409, { id }],
    ['changeKey', 409, { id, json: '{"plan":"pro"}' }],
    ['suspendKey', 409, { id }],
    ['resumeKey', 409, { id }],
  ]);
  const active = await ask('listKeys', { query: '?limit=1&plan=enterprise&state=active' });
  expect(active.headers.has('Link')).toBe(false);
  await expectNextPage('listKeys');
  expect((await ask('listKeys', { query: '?state=revoked' })).text).toContain(id);

  const query = `?keyId=${id}&actor=admin_token&from=2026-01-01T00:00:00Z`;
  const entries = JSON.parse((await ask('listAuditEntries', { query })).text);
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    ...[
      'key.revoked',
      'key.changed',
      'key.unbanned',
      'key.resumed',
      'key.suspended',
      'key.rotated',
    ],
    ...['key.rotated', 'key.changed', 'key.created'],
  ]);
  await expectNextPage('listAuditEntries');
}

async function followAccount(): Promise<void> {
  const id = 'Ünïcode/100 %';
  await create(JSON.stringify({ account: 'without a plan', plan: 'pro' }));
  await follow([
    ['setAccountPlan', 200, { id, json: enterprise, query: '?reason=contract' }],
    ['createKey', 201, { json: JSON.stringify({ account: id, name: 'x' }) }],
    ['getAccount', 200, { id }],
    ['getAccount', 200, { id, query: '?include=history' }],
    ['creditAccount', 200, { id }],
    ['suspendAccount', 200, { id, query: '?reason=unpaid' }],
    ['getAccount', 200, { id, method: 'HEAD' }],
    ['listAccounts', 200, { query: '?suspended=true&plan=enterprise' }],
    ['resumeAccount', 200, { id }],
    ['listAuditEntries', 200, { query: `?account=${encodeURIComponent(id)}` }],
    ['setAccountPlan', 200, { id, json: '{"plan":null}' }],
    ['setAccountPlan', 200, { id: 'another', json: enterprise }],
  ]);
  await expectNextPage('listAccounts');
}

async function followOperators(): Promise<void> {
  const { operator, token } = await createOperator('viewer');
  const { id } = operator;
  const session = await beginSession();
  await follow([
    ['listOperators', 200],
    ['createSession', 401, session],
    ['endSession', 401],
    ['endSession', 200, session],
    ['listOperatorSessions', 200, { id }],
    ['endOperatorSessions', 200, { id }],
    ['endSessions', 200],
  ]);
  for (const [name, question] of everyOperation()) {
    if (adminRoutes[name as keyof typeof adminRoutes].role === 'viewer') continue;
    await follow([[name, 403, { ...question, token }]]);
  }
  await follow([
    ['rotateOperator', 200, { id }],
    ['rotateOperator', 200, { id, json: '{"graceSeconds":60}' }],
    ['revokeOperator', 200, { id }],
    ['rotateOperator', 409, { id }],
  ]);
}

/** Queries that are refused, by their operation. */
const invalidQueries: Readonly<Record<string, readonly string[]>> = {
  listKeys: [
    ...['limit=101', 'plan=gold', 'state=banned', 'cursor=abc', 'name=', 'account=%00'],
    ...['tokenPrefix=ast_', 'tokenPrefix=ast_000000000000000000000000000000000000'],
    ...['banned=false', 'unusedForDays=401', 'unusedForDays=1&unusedForDays=2'],
  ],
  listAccounts: ['limit=0', 'suspended=false', 'cursor=abc', 'sort=requests', 'count=false'],
  getOverview: ['include=pages'],
  getKey: ['include=pages'],
  getDeprecation: ['deprecatedWithinDays=0', 'cursor=forged'],
  getUsage: [
    ...['bucket=week', 'from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z', 'groupBy=plan'],
    ...['groupBy=key&limit=101', 'groupBy=key&bucket=hour', 'limit=5'],
  ],
  listAuditEntries: [
    ...['limit=0', 'keyId=acme', 'actor=acme', 'action=key.deleted', 'account=', 'from=yesterday'],
    'cursor=abc',
  ],
  createKey: ['reason='],
  revokeKey: [`reason=${'x'.repeat(256)}`],
  unbanKey: ['reason=a&reason=b'],
  suspendKey: ['reason=%0A'],
  createOperator: ['reason=%00'],
  creditKey: ['reason='],
  creditAccount: ['reason='],
  listOperators: ['search='],
  listOperatorSessions: ['x=1'],
  endOperatorSessions: ['x=1'],
  endSessions: ['x=1'],
};

async function meetRefusals(): Promise<void> {
  for (const [name, queries] of Object.entries(invalidQueries)) {
    await follow(queries.map((query) => [name, 400, { query: `?${query}` }]));
  }
  for (const [name, question] of everyOperation()) {
    const { path, body } = operationOf(name);
    if (body !== undefined) {
      const headers = { 'Content-Type': 'text/plain' };
      await follow([
        [name, 400, { json: '{"plan":' }],
        [name, 413, { json: `"${'x'.repeat(17_000)}"` }],
        [name, 415, { json: '{}', headers }],
      ]);
    }
    if (path.includes('{')) {
      // An account may have any name, and is there as soon as it gets a plan.
      const isNamed = name.endsWith('Account') || name === 'setAccountPlan';
      const unknown = isNamed ? { ...question, id: `unknown to ${name}` } : question;
      await follow([
        [name, name === 'setAccountPlan' ? 200 : 404, unknown],
        [name, 400, { ...question, id: isNamed ? 'x'.repeat(256) : 'acme' }],
      ]);
    }
    const own = operations.filter((each) => each.path === path).map(({ method }) => method);
    const has = own.includes('GET') ? [...own, 'HEAD'] : own;
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'].filter((it) => !has.includes(it))) {
      const { status, headers } = await ask(name, { method });
      expect([status, headers.get('Allow')?.split(', ').sort()]).toEqual([405, has.sort()]);
    }
    // A missing token is no guess, so it has no limit.
    const { status, headers } = await ask(name, { token: null });
    const challenge = headers.get('WWW-Authenticate');
    expect([status, challenge]).toEqual([401, 'Bearer realm="animal-store-admin"']);
  }
}

async function askAtRandom(): Promise<void> {
  const values = ['1', '30', 'free', 'active', 'ast_0000', 'system', 'key.created', 'key', nobody];
  const value = fc.oneof(fc.constantFrom(...values, '2026-11-21T00:00:00Z'), fc.string());
  const member = fc.constantFrom('plan', 'quota', 'name', 'role', 'expiresAt', 'graceSeconds', 'x');
  const body = fc.oneof(
    fc.json(),
    fc.dictionary(member, fc.jsonValue()).map((it) => JSON.stringify(it)),
  );
  const request = fc
    .constantFrom(...operations)
    .chain(({ operationId: name, parameters, ...it }) => {
      const names = parameters.flatMap((each) => (each.in === 'query' ? each.name : []));
      const pair = fc.tuple(fc.constantFrom(...names, 'x'), value);
      return fc.record({
        name: fc.constant(name),
        id: fc.oneof(fc.constant(nobody), fc.uuid(), fc.string({ minLength: 1 })),
        query: fc.array(pair, { maxLength: 3 }).map((pairs) => `?${new URLSearchParams(pairs)}`),
        json: it.body === undefined ? fc.constant(undefined) : body,
      });
    });
  const property = fc.asyncProperty(request, async ({ name, id, query, json }) => {
    // `.` and `..` are removed from paths before they are sent.
    fc.pre(!/^\.+$/.test(id));
    const question = { id, query, ...(json !== undefined && { json }) };
    expect(await statusOf(name, question)).toBeLessThan(500);
  });
  await fc.assert(property, { seed: 1, numRuns: 100 });
}

async function askWithoutDatabase(): Promise<void> {
  const session = await beginSession();
  await proxy.cut();
  const statuses = everyOperation().map(([name, question]) =>
    statusOf(name, name === 'endSession' ? session : question),
  );
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([503]));
  await proxy.resume();
}

/** After ten wrong tokens, there is a limit. */
async function guessTokens(): Promise<void> {
  const guess = { token: 'guess' };
  const first = await ask('listKeys', guess);
  expect([first.status, first.headers.get('WWW-Authenticate')]).toEqual([
    401,
    'Bearer realm="animal-store-admin", error="invalid_token"',
  ]);
  for (let n = 1; n < 10; n++) await statusOf('listKeys', guess);
  const asked = everyOperation().map(([name, question]) => ask(name, { ...question, ...guess }));
  for (const { status, headers } of await Promise.all(asked)) {
    expect(status).toBe(429);
    expect(headers.get('Retry-After')).toMatch(/^([1-9]|[1-5]\d|60)$/);
  }
}

describe('a body is valid to the server if and only if the document allows it:', () => {
  // What members may have, and what is just beyond it.
  const names = ['acme', '', 'x'.repeat(255), '🐈'.repeat(255), 'x'.repeat(256), 'a\u0007b'];
  const name = fc.constantFrom<unknown>(...names, 'a\u0085b', null, 7);
  const date = fc.constantFrom<unknown>(
    ...['2099-02-28T23:59:59.5+14:00', '2099-02-29T00:00:00Z', '2099-02-28T00:00:00', '2099-02-28'],
    ...[null, 4070908800],
  );
  const numbers = [1, 2147483647, 2147483648, 2592000, 2592001, 0, -1, 1.5];
  const number = fc.constantFrom<unknown>(...numbers, '1');
  const quota = fc.oneof(
    fc.record({ perMinute: number, perDay: number, perHour: number }, { requiredKeys: [] }),
    fc.constantFrom({ perMinute: 5, perDay: 6 }, null, 5),
  );
  const plan = fc.constantFrom('free', 'pro', 'business', 'enterprise', 'enterprise', 'gold', null);
  const members = {
    ...{ name, account: name, plan, quota, expiresAt: date, graceSeconds: number },
    role: fc.constantFrom('owner', 'viewer', 'admin', null),
    x: name,
  };
  const withBody = Object.entries(adminContract).flatMap(([operation, route]) =>
    'body' in route && route.body instanceof ZodType ? [[operation, route.body] as const] : [],
  );

  test.each(withBody)('%s', (operation, schema) => {
    const { body } = operationOf(operation);
    // Members of others are rare, because one of them makes a body invalid.
    const own = Object.keys(members).filter((it) => JSON.stringify(body).includes(`"${it}"`));
    const pick = (names: readonly string[]) =>
      fc.record(Object.fromEntries(names.map((it) => [it, members[it as keyof typeof members]])), {
        requiredKeys: [],
      });
    const value = fc.oneof(
      { weight: 20, arbitrary: pick(own) },
      { weight: 4, arbitrary: pick(Object.keys(members)) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>([], null, 'x', 7) },
    );
    const outcomes = new Set<boolean>();
    const property = fc.property(value, (json) => {
      const faults = faultsOf(body ?? {}, json, 'body');
      outcomes.add(faults.length === 0);
      expect(schema.safeParse(json).success, faults.join()).toBe(faults.length === 0);
    });
    fc.assert(property, { seed: 1, numRuns: 300 });
    expect(outcomes).toEqual(new Set([true, false]));
  });
});
