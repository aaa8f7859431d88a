import { parseJson } from '@animal-store/contract';
import {
  adminBasePath,
  adminContract,
  adminRoutes,
  createAdminOpenApi,
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
  readonly json?: string | undefined;
  /** `null` for none. @default the admin token */
  readonly token?: string | null;
  readonly type?: string;
};

const operationOf = (name: string): Operation => {
  const operation = operations.find(({ operationId }) => operationId === name);
  if (operation === undefined) throw new Error(`There is no operation ${name}.`);
  return operation;
};

/** Sends a request to an operation, and holds the answer against the document. */
async function ask(name: string, question: Question = {}): Promise<Answer> {
  const operation = operationOf(name);
  const { method = operation.method, id = nobody, query = '', json } = question;
  const { token = adminToken, type = 'application/json' } = question;
  const answer = await send(server.opsUrl + adminBasePath, {
    method,
    target: operation.path.replace(/\{\w+\}/, encodeURIComponent(id)) + query,
    headers: {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': type }),
    },
    body: json,
  });
  expect(judge(operation, method, answer), `${name}: ${answer.text}`).toEqual([]);
  met.add(`${name} ${answer.status}`);
  return answer;
}

/** Asks, and reads what was created. */
const create = async (name: string, json?: string) => JSON.parse((await ask(name, { json })).text);

/** Asks one after the other, and checks the statuses. */
async function follow(
  ...steps: readonly (readonly [name: string, status: number, question?: Question])[]
): Promise<void> {
  for (const [name, status, question] of steps) {
    const answer = await ask(name, question);
    expect([name, question, answer.status]).toEqual([name, question, status]);
  }
}

/** Bodies to which nothing is wrong, of operations that need one. */
const validBodies: Readonly<Record<string, string>> = {
  createKey: '{"name":"x","plan":"free"}',
  changeKey: '{"plan":"pro"}',
  setAccountPlan: '{"plan":"pro"}',
  createOperator: '{"name":"Ann","role":"viewer"}',
};

/** A request of each operation, to which nothing is wrong. */
const everyOperation = () =>
  operations.map(({ operationId: name }) => [name, { json: validBodies[name] }] as const);

test('the document is served as the contract says, to who has the admin token', async () => {
  const { headers, text } = await adminOf(server).call('/openapi.json');
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  const document = createAdminOpenApi() as { servers: [{ url: string }] };
  expect(parseJson(text)).toEqual(document);
  // Of whichever address it was read at.
  const readAt = `http://tunnel.example:8443${adminBasePath}/openapi.json`;
  const { href } = new URL(document.servers[0].url, readAt);
  expect(href).toBe(`http://tunnel.example:8443${adminBasePath}`);
  const refused = await adminOf(server).call('/openapi.json', { token: null });
  expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
});

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

const enterprise = '{"name":"x","plan":"enterprise","quota":{"perMinute":5,"perDay":6}}';
const numbers = '{"plan":"enterprise","quota":{"perMinute":5,"perDay":6}}';

async function expectNextPage(name: string): Promise<void> {
  const { headers } = await ask(name, { query: '?limit=1' });
  expect(headers.get('Link')).toContain('rel="next"');
}

async function followKey(): Promise<void> {
  const { id } = (await create('createKey', enterprise)).key;
  await follow(
    ['createKey', 201, { json: '{"plan":"free","name":"Łódź 🐈","account":"C-17"}' }],
    ['getKey', 200, { id }],
    ['getKey', 200, { id, method: 'HEAD' }],
    ['changeKey', 200, { id, json: '{"expiresAt":"2099-01-31T00:00:00Z"}' }],
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
    ['listKeys', 200, { query: '?plan=enterprise&state=revoked' }],
    ['listAuditEntries', 200, { query: `?keyId=${id}&from=2026-01-01T00:00:00Z` }],
  );
  await expectNextPage('listKeys');
  await expectNextPage('listAuditEntries');
}

async function followAccount(): Promise<void> {
  const id = 'Ünïcode/100 %';
  await follow(
    ['createKey', 201, { json: '{"name":"x","account":"without a plan","plan":"pro"}' }],
    ['setAccountPlan', 200, { id, json: numbers, query: '?reason=contract' }],
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
    ['setAccountPlan', 200, { id: 'another', json: numbers }],
  );
  await expectNextPage('listAccounts');
}

async function followOperators(): Promise<void> {
  const { operator, token } = await create('createOperator', validBodies['createOperator']);
  const { id } = operator;
  const session = { token: (await create('createSession')).token };
  await follow(
    ['listOperators', 200],
    ['createSession', 401, session],
    ['endSession', 401],
    ['endSession', 200, session],
    ['listOperatorSessions', 200, { id }],
    ['endOperatorSessions', 200, { id }],
    ['endSessions', 200],
  );
  for (const [name, question] of everyOperation())
    if (adminRoutes[name as keyof typeof adminRoutes].role !== 'viewer')
      await follow([name, 403, { ...question, token }]);
  await follow(
    ['rotateOperator', 200, { id }],
    ['rotateOperator', 200, { id, json: '{"graceSeconds":60}' }],
    ['revokeOperator', 200, { id }],
    ['rotateOperator', 409, { id }],
  );
}

/** Queries that are refused, by their operation. Each refuses what it does not have, such as `x`. */
const invalidQueries: Readonly<Record<string, readonly string[]>> = {
  listKeys: [
    ...['limit=101', 'plan=gold', 'state=banned', 'cursor=abc', 'name=', 'account=%00'],
    ...['tokenPrefix=ast_', 'tokenPrefix=ast_000000000000000000000000000000000000'],
    ...['banned=false', 'unusedForDays=401', 'unusedForDays=1&unusedForDays=2'],
  ],
  listAccounts: ['limit=0', 'suspended=false', 'cursor=abc', 'sort=requests', 'count=false'],
  getOverview: ['include=pages'],
  getDeprecation: ['deprecatedWithinDays=0', 'cursor=forged'],
  getUsage: [
    ...['bucket=week', 'from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z', 'groupBy=plan'],
    ...['groupBy=key&limit=101', 'groupBy=key&bucket=hour', 'limit=5'],
  ],
  listAuditEntries: [
    ...['keyId=acme', 'actor=acme', 'action=key.deleted', 'account=', 'from=yesterday'],
  ],
  revokeKey: [`reason=${'x'.repeat(256)}`, 'reason=a&reason=b', 'reason=%0A', 'reason='],
  listOperators: ['search='],
};

async function meetRefusals(): Promise<void> {
  for (const [name, question] of everyOperation()) {
    for (const query of ['x=1', ...(invalidQueries[name] ?? [])])
      await follow([name, 400, { query: `?${query}` }]);
    const { path, body } = operationOf(name);
    if (body !== undefined) {
      await follow(
        [name, 400, { json: '{"plan":' }],
        [name, 413, { json: `"${'x'.repeat(17_000)}"` }],
        [name, 415, { json: '{}', type: 'text/plain' }],
      );
    }
    if (path.includes('{')) {
      // An account may have any name, and is there as soon as it gets a plan.
      const isNamed = name.endsWith('Account') || name === 'setAccountPlan';
      const unknown = isNamed ? { ...question, id: `unknown to ${name}` } : question;
      await follow(
        [name, name === 'setAccountPlan' ? 200 : 404, unknown],
        [name, 400, { ...question, id: isNamed ? 'x'.repeat(256) : 'acme' }],
      );
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
  const request = fc.constantFrom(...operations).chain((operation) => {
    const names = operation.parameters.flatMap((it) => (it.in === 'query' ? it.name : []));
    const pair = fc.tuple(fc.constantFrom(...names, 'x'), value);
    return fc.record({
      name: fc.constant(operation.operationId),
      // `.` and `..` are removed from paths before they are sent.
      id: fc.oneof(
        fc.uuid(),
        fc.string({ minLength: 1 }).filter((id) => !/^\.+$/.test(id)),
      ),
      query: fc.array(pair, { maxLength: 3 }).map((pairs) => `?${new URLSearchParams(pairs)}`),
      json: operation.body === undefined ? fc.constant(undefined) : fc.json(),
    });
  });
  const property = fc.asyncProperty(request, async ({ name, ...question }) => {
    expect((await ask(name, question)).status).toBeLessThan(500);
  });
  await fc.assert(property, { seed: 1, numRuns: 100 });
}

async function askWithoutDatabase(): Promise<void> {
  const { token } = await create('createSession');
  await proxy.cut();
  const answers = everyOperation().map(([name, question]) =>
    ask(name, name === 'endSession' ? { token } : question),
  );
  for (const { status } of await Promise.all(answers)) expect(status).toBe(503);
  await proxy.resume();
}

/** After ten wrong tokens, there is a limit. */
async function guessTokens(): Promise<void> {
  const token = 'guess';
  const { status, headers } = await ask('listKeys', { token });
  expect([status, headers.get('WWW-Authenticate')]).toEqual([
    401,
    'Bearer realm="animal-store-admin", error="invalid_token"',
  ]);
  for (let n = 1; n < 10; n++) await ask('listKeys', { token });
  const asked = everyOperation().map(([name, question]) => ask(name, { ...question, token }));
  for (const { status, headers } of await Promise.all(asked)) {
    expect(status).toBe(429);
    expect(headers.get('Retry-After')).toMatch(/^([1-9]|[1-5]\d|60)$/);
  }
}

describe('a body is valid to the server if and only if the document allows it:', () => {
  // What members may have, and what is just beyond it.
  const mostly = (valid: readonly unknown[], wrong: readonly unknown[]) =>
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...valid) }, fc.constantFrom(...wrong));
  const name = mostly(
    ['acme', '🐈'.repeat(255)],
    ['', 'x'.repeat(256), 'a\u0007b', 'a\u0085b', null, 7],
  );
  const number = mostly([1, 2147483647, 2592000], [2147483648, 2592001, 0, -1, 1.5, '1']);
  const limits = { perMinute: number, perDay: number, perHour: number };
  const quota = fc.oneof(
    fc.constant({ perMinute: 5, perDay: 6 }),
    fc.record(limits, { requiredKeys: [] }),
    fc.constantFrom(null, 5),
  );
  const members = {
    ...{ name, account: name, quota, graceSeconds: number, x: name },
    plan: fc.constantFrom('free', 'pro', 'business', 'enterprise', 'enterprise', 'gold', null),
    expiresAt: mostly(
      ['2099-02-28T23:59:59.5+14:00'],
      ['2099-02-29T00:00:00Z', '2099-02-28T00:00:00', '2099-02-28', null, 4070908800],
    ),
    role: fc.constantFrom('owner', 'viewer', 'admin', null),
  };
  const withBody = Object.entries(adminContract).flatMap(([operation, route]) =>
    'body' in route && route.body instanceof ZodType ? [[operation, route.body] as const] : [],
  );

  test.each(withBody)('%s', (operation, schema) => {
    const { body } = operationOf(operation);
    // Members of others are rare, because one of them makes a body invalid.
    const own = Object.entries(members).filter(([it]) => JSON.stringify(body).includes(`"${it}"`));
    const value = fc.oneof(
      { weight: 20, arbitrary: fc.record(Object.fromEntries(own), { requiredKeys: [] }) },
      { weight: 4, arbitrary: fc.record(members, { requiredKeys: [] }) },
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
