import {
  adminBasePath,
  adminContract,
  adminRoutes,
  createAdminOpenApi,
} from '@animal-store/admin-contract';
import { parseJson } from '@animal-store/contract';
import { systemClock } from '@animal-store/runtime';
import { openTcpProxy, type TcpProxy } from '@animal-store/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZodType } from 'zod';
import { adminOf, adminToken, nobody } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import { type Answer, send } from '../support/send.ts';
import { allows, read } from './fuzz.ts';
import { faultsOf, judge } from './judge.ts';
import { type Operation, operationsOf } from './open-api.ts';

/** Valid request bodies of the operations that need a body. */
const validBodies: Readonly<Record<string, string>> = {
  createKey: '{"name":"x","plan":"enterprise","quota":{"perMinute":5,"perDay":6}}',
  changeKey: '{"plan":"pro"}',
  setAccountPlan: '{"plan":"enterprise","quota":{"perMinute":5,"perDay":6}}',
  createOperator: '{"name":"Ann","role":"viewer"}',
};

const stack = new AsyncDisposableStack();
let proxy: TcpProxy;
let server: LocalServer;
/** The operations in the OpenAPI document. */
let operations: readonly (Operation & { name: string })[];
/** The statuses that each operation has returned, as pairs of operation and status. */
const met = new Set<string>();

beforeAll(async () => {
  const database = stack.use(await createDatabase('postgres'));
  proxy = stack.use(await openTcpProxy({ target: database.url }));
  server = stack.use(
    await openLocalServer(
      { DATABASE_URL: proxy.url, ADMIN_TOKEN: adminToken },
      { clock: systemClock, ops: { guessDelayMs: 20 } },
    ),
  );
  const { body } = await adminOf(server).call('/openapi.json');
  operations = operationsOf(body).map((it) => ({ ...it, name: it.operationId }));
});
afterAll(() => stack.disposeAsync());

type Question = {
  /** The method to send, if it is not the method of the operation. */
  readonly method?: string;
  /** The id of the API key, operator or account in the path. */
  readonly id?: string;
  readonly query?: string;
  /**
   * The JSON body.
   *
   * @default a valid body
   */
  readonly json?: string | undefined;
  /**
   * The token in the Authorization header; `null` for no header.
   *
   * @default the admin token
   */
  readonly token?: string | null;
  readonly type?: string;
};

const operationOf = (name: string) => operations.find((it) => it.name === name) as Operation;

/** Sends a request to an operation, and checks the response against the OpenAPI document. */
async function ask(name: string, question: Question = {}): Promise<Answer> {
  const operation = operationOf(name);
  const { method = operation.method, id = nobody, query = '' } = question;
  const { json = validBodies[name], token = adminToken, type = 'application/json' } = question;
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

async function expectStatus(status: number, name: string, question: Question): Promise<void> {
  const answer = await ask(name, question);
  expect([name, question, answer.status]).toEqual([name, question, status]);
}

/** Calls an operation that creates an object, and returns the object. */
const create = async (name: string) => JSON.parse((await ask(name)).text);

test('the OpenAPI document of the admin API equals the contract, and anyone with the admin token can read the document', async () => {
  const { headers, text } = await adminOf(server).call('/openapi.json');
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(parseJson(text)).toEqual(createAdminOpenApi());
  // The server URL in the document is relative, so it is right for any address of the server.
  expect(parseJson(text)).toMatchObject({ servers: [{ url: adminBasePath }] });
  const refused = await adminOf(server).call('/openapi.json', { token: null });
  expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
});

// All checks are in one test, because the last check needs the statuses of all requests. The last
// part also uses up the number of wrong tokens that a network may send.
test('the admin API can send every response in its OpenAPI document except internal errors, and each response matches the document', async () => {
  for (const { name } of operations) await causeSuccesses(name);
  for (const name of ['listKeys', 'listAccounts', 'listAuditEntries']) {
    const { headers } = await ask(name, { query: '?limit=1&count=true' });
    expect(Number(headers.get('X-Total-Count'))).toBeGreaterThan(1);
    expect(headers.get('Link')).toContain('rel="next"');
  }
  const { token } = await create('createOperator');
  for (const { name } of operations) {
    await causeRefusals(name);
    if (adminRoutes[name as keyof typeof adminRoutes].role !== 'viewer')
      await expectStatus(403, name, { token });
  }
  await askAtRandom();
  await askWithoutDatabase();
  await guessTokens();
  const promised = operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
  // Other tests cause 408 and 500. For a 408, `json-body.test.ts` does not send the whole body.
  const expected = promised.filter((answer) => !/ (?:408|500)$/.test(answer));
  expect([...met].sort()).toEqual(expected.sort());
});

async function causeSuccesses(name: string): Promise<void> {
  const { path, method, parameters, responses } = operationOf(name);
  // Requests that change something accept a reason for the audit log. Only requests that begin or
  // end a session do not.
  const isAudited = method !== 'GET' && !path.includes('/sessions');
  expect([name, parameters.some((it) => it.name === 'reason')]).toEqual([name, isAudited]);
  const [key, another, { operator }, session] = [
    ...[await create('createKey'), await create('createKey')],
    ...[await create('createOperator'), await create('createSession')],
  ];
  const account = 'Ünïcode/100 %';
  for (const id of [account, 'another']) await ask('setAccountPlan', { id });
  await ask('suspendKey', { id: another.key.id, query: '?reason=unpaid' });
  const ids = { '{keyId}': key.key.id, '{operatorId}': operator.id, '{account}': account };
  const id = Object.entries(ids).find(([it]) => path.includes(it))?.[1];
  const question = { id, ...(name === 'endSession' && { token: session.token }) };
  const status = '201' in responses ? 201 : 200;
  const include = parameters.find((it) => it.name === 'include')?.schema['enum'];
  for (const query of ['', ...((include ?? []) as string[]).map((it) => `?include=${it}`)])
    await expectStatus(status, name, { ...question, query });
  if (method === 'GET') await expectStatus(200, name, { id, method: 'HEAD' });
  if (!/\{(keyId|operatorId)\}/.test(path)) return;
  // The request is also sent if the document has no 409, because the document may lack the status.
  await ask(path.startsWith('/keys') ? 'revokeKey' : 'revokeOperator', { id });
  await expectStatus('409' in responses ? 409 : 200, name, question);
}

async function causeRefusals(name: string): Promise<void> {
  const { path, body, parameters } = operationOf(name);
  for (const query of ['x', ...parameters.flatMap((it) => (it.in === 'query' ? it.name : []))]) {
    await expectStatus(400, name, { query: `?${query}=%00` });
    await expectStatus(400, name, { query: `?${query}=1&${query}=1` });
  }
  if (body !== undefined) {
    await expectStatus(400, name, { json: '{"plan":' });
    await expectStatus(413, name, { json: `"${'x'.repeat(17_000)}"` });
    await expectStatus(415, name, { json: '{}', type: 'text/plain' });
  }
  if (path.includes('{')) {
    // An account exists as soon as it gets a plan, and may have any name. So a request that sets a
    // plan never gets 404.
    const isNamed = path.includes('{account}');
    const unknown = isNamed ? { id: `unknown to ${name}` } : {};
    await expectStatus(name === 'setAccountPlan' ? 200 : 404, name, unknown);
    await expectStatus(400, name, { id: isNamed ? 'x'.repeat(256) : 'acme' });
  }
  const own = operations.filter((each) => each.path === path).map(({ method }) => method);
  const has = own.includes('GET') ? [...own, 'HEAD'] : own;
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'].filter((it) => !has.includes(it))) {
    const { status, headers } = await ask(name, { method });
    expect([status, headers.get('Allow')?.split(', ').sort()]).toEqual([405, has.sort()]);
  }
  // A request without a token does not count as a guess, so it gets 401 even after many wrong
  // tokens.
  const { status, headers } = await ask(name, { token: null });
  const challenge = headers.get('WWW-Authenticate');
  expect([status, challenge]).toEqual([401, 'Bearer realm="animal-store-admin"']);
}

/** Sends random requests, and expects that the admin API refuses each invalid request. */
async function askAtRandom(): Promise<void> {
  const usual = ['1', '100', '101', '400', '401', 'free', 'active', 'ast_0000', 'system', 'key'];
  const long = ['x'.repeat(255), 'x'.repeat(256), nobody, '2026-11-21T00:00:00Z', 'true', 'day'];
  const value = fc.oneof(fc.constantFrom(...usual, ...long), fc.string());
  const request = fc.constantFrom(...operations).chain(({ name, parameters, body }) => {
    const names = parameters.flatMap((it) => (it.in === 'query' ? it.name : []));
    return fc.record({
      name: fc.constant(name),
      // Ids that consist of dots are left out, because HTTP clients remove `.` and `..` from paths.
      id: fc.oneof(
        fc.uuid(),
        fc.string({ minLength: 1 }).filter((id) => !/^\.+$/.test(id)),
      ),
      query: fc.dictionary(fc.constantFrom(...names, 'x'), value, { maxKeys: 3 }),
      json: body === undefined ? fc.constant(undefined) : fc.json(),
    });
  });
  const property = fc.asyncProperty(request, async ({ name, id, query, json }) => {
    const { parameters, body } = operationOf(name);
    const isKnown = Object.keys(query).every((it) => parameters.some((own) => own.name === it));
    const isAllowed =
      isKnown &&
      parameters.every(({ name, in: place, schema }) => {
        const text = place === 'path' ? id : query[name];
        return text === undefined || allows(schema, read(schema, text));
      }) &&
      (body === undefined || allows(body, JSON.parse(json ?? '')));
    const { status } = await ask(name, { id, json, query: `?${new URLSearchParams(query)}` });
    expect(status).toSatisfy((it) => (isAllowed ? it < 500 : it === 400));
  });
  await fc.assert(property, { seed: 1, numRuns: 200 });
}

async function askWithoutDatabase(): Promise<void> {
  const { token } = await create('createSession');
  await proxy.cut();
  const answers = operations.map(({ name }) =>
    expectStatus(503, name, name === 'endSession' ? { token } : {}),
  );
  await Promise.all(answers);
  await proxy.resume();
}

/** Sends ten wrong tokens and expects that further wrong tokens get 429. */
async function guessTokens(): Promise<void> {
  const token = 'guess';
  for (let n = 0; n < 10; n++) await expectStatus(401, 'listKeys', { token });
  const answers = operations.map(({ name }) => ask(name, { token }));
  for (const { status, headers } of await Promise.all(answers)) {
    expect(status).toBe(429);
    expect(headers.get('Retry-After')).toMatch(/^([1-9]|[1-5]\d|60)$/);
  }
}

test('the admin API accepts a request body if and only if its OpenAPI document allows it', () => {
  // The generated values are valid values, and values that are just outside of the limits.
  const mostly = (valid: readonly unknown[], wrong: readonly unknown[]) =>
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...valid) }, fc.constantFrom(...wrong));
  const label = mostly(['acme', '🐈'.repeat(255)], ['', 'x'.repeat(256), 'a\u0085b', null]);
  const number = mostly([1, 2592000, 2147483647], [2147483648, 2592001, 0, 1.5, '1']);
  const quota = fc.record({ perMinute: number, perDay: number, perHour: number });
  const members = {
    ...{ name: label, account: label, graceSeconds: number, x: label },
    quota: fc.oneof(mostly([{ perMinute: 5, perDay: 6 }], [null]), quota),
    plan: fc.constantFrom('free', 'pro', 'enterprise', 'enterprise', 'gold', null),
    expiresAt: mostly(['2099-02-28T23:59:59.5+14:00'], ['2099-02-29T00:00:00Z', null, 4070]),
    role: fc.constantFrom('owner', 'viewer', 'admin', null),
    scopes: fc.array(fc.constantFrom('pets:read', 'pets:write', 'x'), { maxLength: 2 }),
  };
  for (const [operation, route] of Object.entries(adminContract)) {
    if (!('body' in route && route.body instanceof ZodType)) continue;
    const { body: document = {} } = operationOf(operation);
    const { body: schema } = route;
    // Properties of other operations are generated rarely, because a single one makes a body
    // invalid, and the test also needs many valid bodies.
    const own = Object.entries(members).filter(([it]) =>
      JSON.stringify(document).includes(`"${it}"`),
    );
    const value = fc.oneof(
      { weight: 20, arbitrary: fc.record(Object.fromEntries(own), { requiredKeys: [] }) },
      { weight: 4, arbitrary: fc.record(members, { requiredKeys: [] }) },
    );
    const outcomes = new Set<boolean>();
    const property = fc.property(value, (json) => {
      const faults = faultsOf(document, json, 'body');
      outcomes.add(faults.length === 0);
      expect(schema.safeParse(json).success, faults.join()).toBe(faults.length === 0);
    });
    fc.assert(property, { seed: 1, numRuns: 500 });
    expect(outcomes, operation).toEqual(new Set([true, false]));
  }
});
