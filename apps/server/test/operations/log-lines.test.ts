import { defaultBanPolicy, plans } from '@animal-store/contract';
import { readUntilClosed, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { hashToken } from '../../src/keys/token.ts';
import { adminToken, useAdmin } from '../support/admin.ts';
import { beginCreation } from '../support/held-request.ts';
import { logOf, requestLine } from '../support/observed.ts';
import { type CallOptions, call } from '../support/test-service.ts';

// `log-request.test.ts` and `log-ops-request.test.ts` test which requests are logged, and at which
// level.

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const anyId = expect.stringMatching(/^[\da-f-]{36}$/);
const common = { level: 'info', time, durationMs: expect.any(Number) };

const { service, admin } = useAdmin('postgres', {
  // A request counts as slow only after an hour. With the default, any request on a busy machine
  // could be slow, and have additional fields in its log line.
  observability: { slowRequestMs: 3_600_000 },
  quotas: { banPolicy: { ...defaultBanPolicy, minStrikes: 1, strikeShare: 0.01, graceMs: 0 } },
});

/** Sends a request and returns its log line. */
async function lineOf(url: string, options: CallOptions) {
  const { headers } = await call(url, options);
  return requestLine(service.server, headers.get('X-Request-Id') ?? '');
}
const lineOfApi = (path: string, options?: CallOptions) =>
  lineOf(service.server.baseUrl + path, { token: service.tokens.enterprise, ...options });
const countLines = () => logOf(service.server).length;

test('the log of the service has one line for each request, with exactly the expected fields', async () => {
  const token = service.tokens.pro;
  const before = countLines();
  expect(await lineOfApi('/pets?limit=2', { token })).toEqual({
    ...{ ...common, requestId: anyId, keyId: anyId, msg: 'request' },
    ...{ method: 'GET', route: '/v1/pets', operation: 'listPets', status: 200, plan: 'pro' },
    ...{ quota: 'admitted', remaining: plans.pro.perMinute - 1, tokenPrefix: token.slice(0, 8) },
  });
  expect(countLines()).toBe(before + 1);
});

test.each([
  // A request without an API key counts against its network. So the field `quota` shows the
  // decision about the network.
  ['/pets', { token: null }, { quota: 'admitted', status: 401, errorCode: 'unauthorized' }],
  ['/pets/9007199254740993', {}, { route: '/v1/pets/:petId', errorCode: 'pet_not_found' }],
  ['/secret-of-mine', {}, { route: 'other', errorCode: 'not_found' }],
  ['/../docs/guides/limits', {}, { route: '/docs/*', status: 200 }],
])(
  'the log line of the request %s (%j) contains the template of its route and the error code',
  async (path, options, fields) => {
    expect(await lineOfApi(path, options)).toMatchObject(fields);
    expect(service.server.output()).not.toContain('secret-of-mine');
  },
);

test('the log line of a request contains the quota decision, and the start of a ban has its own log line', async () => {
  const token = service.tokens.free;
  for (let i = 0; i < 60; i += 1) await service.call('/pets', { token });
  const denied = { status: 429, quota: 'denied', remaining: 0, errorCode: 'rate_limit_exceeded' };
  expect(await lineOfApi('/pets', { token })).toMatchObject(denied);
  for (let i = 0; i < 3; i += 1) await service.call('/pets', { token });
  const banned = { status: 429, quota: 'banned', errorCode: 'key_temporarily_banned' };
  expect(await lineOfApi('/pets', { token })).toMatchObject(banned);
  const bans = logOf(service.server).filter(
    ({ msg }) => msg === 'an API key is temporarily banned',
  );
  expect(bans).toMatchObject([{ level: 'warn', time, keyId: anyId, seconds: 300 }]);
});

// Regression: an attacker could fill the disk with log lines about invalid HTTP.
test('the service logs an aborted request with the status 499, and does not log invalid HTTP', async () => {
  const before = countLines();
  for (const origin of [service.server.origin, service.server.opsUrl]) {
    await readUntilClosed(origin, 'GET /x nonsense\r\n\r\n');
  }
  (await beginCreation(service.server, service.tokens.enterprise))[Symbol.dispose]();
  const left = await until(() => logOf(service.server).slice(before).at(0));
  expect(left).toMatchObject({ status: 499, aborted: true, route: '/v1/pets' });
  expect(countLines()).toBe(before + 1);
});

// Regression: the log line showed the account of an API key only if the account had a plan. It
// showed only the id of the account, which operators do not know.
test("the log line of a request contains the name of the API key's account, and the account's id if the account has a plan", async () => {
  const { token } = await admin.create('{"plan":"free","account":"C-17"}');
  const labelled: Record<string, unknown> = await lineOfApi('/pets', { token });
  expect(labelled['account']).toBe('C-17');
  expect(labelled).not.toHaveProperty('accountId');
  await admin.call('/accounts/C-17', { method: 'PUT', json: '{"plan":"pro"}' });
  const planned = await until(async () => {
    const line = await lineOfApi('/pets', { token });
    return line['plan'] === 'pro' && line;
  });
  expect(planned).toMatchObject({ account: 'C-17', accountId: anyId });
});

test('the log line of an admin request has the operator and the id of the API key', async () => {
  const { key, token } = await admin.create('{"plan":"pro"}');
  const url = `${service.server.opsUrl}/admin/v1/keys/${key.id.toUpperCase()}/revoke`;
  const route = '/admin/v1/keys/:keyId/revoke';
  const shared = { ...common, method: 'POST', route, msg: 'ops request' };
  expect(await lineOf(url, { method: 'POST', token: adminToken })).toEqual({
    ...{ ...shared, requestId: anyId, status: 200, operator: 'ADMIN_TOKEN', keyId: key.id },
  });
  for (const path of ['/keys/secret-of-mine', '/secret-of-mine']) await admin.call(path);
  // If a request has no valid token, its log line contains nothing that the sender of the request
  // has chosen.
  expect(await lineOf(url, { method: 'POST', token: 'no' })).toEqual({
    ...{ ...shared, requestId: anyId, status: 401, errorCode: 'unauthorized' },
  });
  for (const text of [token, hashToken(token), adminToken, 'secret-of-mine']) {
    expect(service.server.output()).not.toContain(text);
  }
});

// `stop.test.ts` tests the last line of the log.
test('the log begins with the version of the service and its addresses', () => {
  const { server } = service;
  expect(logOf(server)[0]).toEqual({
    ...{ level: 'info', time, msg: 'listening', version: '1.0.0', node: process.version },
    ...{ url: server.baseUrl, opsUrl: server.opsUrl, database: 'postgres', quotas: 'in-process' },
  });
});
