import {
  adminContract,
  adminRoutes,
  type IssuedOperator,
  type IssuedSession,
  type Operator,
  type OperatorRole,
  operatorActiveHeader,
  operatorRoles,
  sessionLifetime,
} from '@animal-store/admin-contract';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { until } from '@animal-store/testkit';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createToken, hashToken } from '../../src/keys/token.ts';
import { createOperatorSessions } from '../../src/operators/operator-sessions.ts';
import { operatorSessions, operators } from '../../src/schema/schema.ts';
import { type Admin, adminOf, adminToken, nobody, useAdmin } from '../support/admin.ts';
import { useDatabase } from '../support/databases.ts';
import { untilPassing } from '../support/local-server.ts';
import { sendRaw } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { startService } from '../support/test-service.ts';

const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const challenge = (error: string) => `Bearer realm="animal-store-admin", error="${error}"`;

async function createOperator(admin: Admin, role: OperatorRole, more = {}) {
  const json = JSON.stringify({ name: 'Ann', role, ...more });
  return (await admin.call('/operators', { json })).body as IssuedOperator;
}

async function openSession(admin: Admin, token: string) {
  const { status, body } = await admin.call('/sessions', { method: 'POST', token });
  expect(status).toBe(201);
  return body as IssuedSession;
}

test('a session contains the times for which the settings of the service keep usage', async () => {
  await using service = await startService('postgres', {
    env: { USAGE_MINUTES_HOURS: '2', USAGE_HOURS_DAYS: '3', USAGE_DAYS_DAYS: '20' },
    ops: { adminToken },
  });
  const { session } = await openSession(adminOf(service.server), adminToken);
  expect(session.usageKeptSeconds).toEqual({ minute: 7_200, hour: 259_200, day: 1_728_000 });
});

test('the admin API responds with 429 after ten wrong tokens from a network, but always accepts valid tokens', async () => {
  const clock = createTestClock();
  await using service = await startService('postgres', {
    clock,
    // The clock of the machine, and not `clock`, measures the window in which wrong tokens are
    // counted. The window lasts an hour, so that it does not end during the test.
    // `admin-conformance.test.ts` tests the default of a minute.
    ops: { adminToken, guessWindowSeconds: 3_600 },
  });
  const admin = adminOf(service.server);
  const ask = async (tokens: readonly string[]) => {
    let answers: Answer[] | undefined;
    void Promise.all(tokens.map((token) => admin.call('/keys', { token }))).then((all) => {
      answers = all;
    });
    return untilPassing([service.server], () => answers);
  };
  const statusesOf = async (tokens: readonly string[]) =>
    (await ask(tokens)).map(({ status }) => status).sort();
  const ann = await createOperator(admin, 'owner');
  const unseen = await createOperator(admin, 'owner');
  const left = await createOperator(admin, 'owner');
  const { body: withoutToken } = await admin.call('/keys/%ff', { token: null });
  const howTo = 'Send your token as "Authorization: Bearer <token>".';
  expect(withoutToken).toEqual({ code: 'unauthorized', message: howTo, status: 401 });
  expect(await statusesOf([left.token, ...Array(20).fill(ann.token)])).toEqual(Array(21).fill(200));
  const key = service.tokens.enterprise;
  for (const Authorization of [
    `Bearer ${adminToken}x`,
    `Basic ${adminToken}`,
    'Bearer',
    `Bearer ${key}`,
  ]) {
    const { body } = await admin.call('/keys', { token: null, headers: { Authorization } });
    const message = 'The admin token is not valid.';
    expect(body).toEqual({ code: 'unauthorized', message, status: 401 });
  }
  const invented = Array.from({ length: 30 }, () => createToken('operator'));
  expect(await statusesOf(invented)).toEqual([...Array(6).fill(401), ...Array(24).fill(429)]);
  const askedAtMs = clock.elapsed();
  const [refused] = await ask([`${adminToken}x`]);
  expect(clock.elapsed() - askedAtMs).toBeGreaterThanOrEqual(1_000);
  expect(refused?.headers.get('Retry-After')).toMatch(/^3[3-6]\d\d$/);
  const message = expect.stringMatching(/^Too many wrong admin tokens .* Retry after \d+ s\.$/);
  expect(refused?.body).toEqual({ code: 'rate_limit_exceeded', message, status: 429 });

  // Valid tokens still work, because operators must be able to revoke a leaked API key during an
  // attack.
  const session = await openSession(admin, adminToken);
  const valid = [adminToken, ann.token, unseen.token, session.token];
  expect(await statusesOf(valid)).toEqual(Array(4).fill(200));
  expect((await fetch(`${service.server.opsUrl}/livez`)).status).toBe(200);
  // The service has accepted this token before, so the first request after the revocation does not
  // count as a guess, and gets 401. The second request counts as a guess, and gets 429.
  await admin.call(`/operators/${left.operator.id}/revoke`, { method: 'POST' });
  expect(await statusesOf([left.token])).toEqual([401]);
  expect(await statusesOf([left.token])).toEqual([429]);
});

describe('operators', () => {
  const { service, admin } = useAdmin();

  const statusFor = async (token: string) => (await admin.call('/keys', { token })).status;
  const rotate = async (id: string, json = '') =>
    (await admin.call(`/operators/${id}/rotate`, { json })).body as IssuedOperator;
  const revoke = (id: string) => admin.call(`/operators/${id}/revoke`, { method: 'POST' });

  test('the admin API refuses a request with two Authorization headers, even if both tokens are valid', async () => {
    const lines = `Authorization: Bearer ${adminToken}\r\n`.repeat(2);
    const request = `GET /admin/v1/keys HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`;
    const [answer] = await sendRaw(service.server.opsUrl, request);
    const message = 'Authorization: expected one header, got several.';
    expect(answer).toMatchObject({ status: 401, body: { message } });
    expect(answer?.headers.get('WWW-Authenticate')).toBe(challenge('invalid_request'));
  });

  test('the token of a new operator is shown once and does not work in the public API', async () => {
    const expiresAt = '2099-01-31T00:00:00.000Z';
    const { operator, token } = await createOperator(admin, 'operator', { expiresAt });
    expect(token).toMatch(/^aso_[0-9A-Za-z]{36}$/);
    expect(operator).toEqual({
      ...{ id: expect.any(String), name: 'Ann', role: 'operator', state: 'active' },
      ...{ createdAt: anyInstant, expiresAt, revokedAt: null },
      tokens: [{ prefix: token.slice(0, 8), createdAt: anyInstant, expiresAt: null }],
    });
    const listed = await admin.call('/operators', { token });
    expect(listed.body).toContainEqual(operator);
    expect(listed.text).not.toContain(token);
    const session = await openSession(admin, token);
    for (const opens of [token, session.token, adminToken]) {
      expect((await service.call('/pets', { token: opens })).status).toBe(401);
    }
  });

  test('the admin API refuses an expired operator and gives the operator no new token', async () => {
    const { operator, token } = await createOperator(admin, 'viewer');
    await service.database.db
      .update(operators)
      .set({ expiresAt: sql`now()` })
      .where(eq(operators.id, operator.id));
    expect(await statusFor(token)).toBe(401);
    const message = 'The operator is expired. Create a new operator.';
    const refused = { code: 'operator_not_active', message, status: 409 };
    expect(await rotate(operator.id)).toEqual(refused);
  });

  test("the old token of an operator stays valid for the grace period after a rotation, and a revoked operator's token is invalid immediately", async () => {
    const named = { name: 'Zoë of the search' };
    const { operator, token } = await createOperator(admin, 'viewer', named);
    const first = await rotate(operator.id);
    expect(first.operator.tokens.map(({ prefix }) => prefix)).toEqual(
      [first.token, token].map((each) => each.slice(0, 8)),
    );
    expect([await statusFor(token), await statusFor(first.token)]).toEqual([200, 200]);
    const last = await rotate(operator.id, '{"graceSeconds":0}');
    const tokens = [token, first.token, last.token];
    expect(await Promise.all(tokens.map(statusFor))).toEqual([401, 401, 200]);
    // A search finds an operator by name, and by the prefix of any current or former token.
    for (const search of [token.slice(0, 8), 'ZOE of']) {
      const { body } = await admin.call(`/operators?search=${encodeURIComponent(search)}`);
      expect((body as Operator[]).map(({ id }) => id)).toEqual([operator.id]);
    }

    const revoked = await revoke(operator.id);
    expect(revoked).toMatchObject({ status: 200, body: { id: operator.id, state: 'revoked' } });
    expect(await statusFor(last.token)).toBe(401);
    expect((await revoke(operator.id)).body).toEqual(revoked.body);
    expect(await rotate(operator.id)).toMatchObject({ status: 409 });
  });

  test('each admin operation requires a minimum role and responds with 403 to lower roles, even if the body is invalid', async () => {
    const tokens = await Promise.all(
      operatorRoles.map(async (role) => (await createOperator(admin, role)).token),
    );
    for (const name of Object.keys(adminContract) as (keyof typeof adminContract)[]) {
      const { method, path, role } = adminRoutes[name];
      const json = method === 'GET' ? {} : { json: '{"nonsense":' };
      const answers = await Promise.all(
        tokens.map((token) => admin.call(path.replace(/:\w+/, nobody), { method, token, ...json })),
      );
      const lowest = operatorRoles.indexOf(role);
      const message = `This operation needs the role ${role}.`;
      for (const { body } of answers.slice(0, lowest)) {
        expect(body, name).toEqual({ code: 'forbidden', message, status: 403 });
      }
      for (const { status } of answers.slice(lowest)) {
        // Only the session's own token can end the session, so the operator's token gets 401 here.
        expect(name === 'endSession' ? [401] : [200, 201, 400, 404], name).toContain(status);
      }
    }
  });

  test('a session of the console has the permissions of its operator, lists these permissions, and cannot create another session', async () => {
    const { operator, token } = await createOperator(admin, 'viewer');
    const { session, token: secret } = await openSession(admin, token);
    expect(secret).toMatch(/^asc_[0-9A-Za-z]{36}$/);
    const routes = Object.entries(adminRoutes);
    expect(session).toEqual({
      operator: { id: operator.id, name: 'Ann', role: 'viewer' },
      operations: routes.filter(([, { role }]) => role === 'viewer').map(([name]) => name),
      usageKeptSeconds: { minute: 172_800, hour: 7_776_000, day: 34_560_000 },
      expiresAt: anyInstant,
    });
    expect(await statusFor(secret)).toBe(200);
    expect((await admin.call('/keys', { token: secret, json: '{}' })).status).toBe(403);
    const another = await admin.call('/sessions', { method: 'POST', token: secret });
    expect(another.status).toBe(401);
    expect(another.headers.get('WWW-Authenticate')).toBe(challenge('invalid_token'));
  });

  test('a session ends when its operator ends it, when the operator is revoked, or when the token that created the session is replaced', async () => {
    const { operator, token } = await createOperator(admin, 'operator');
    const first = await openSession(admin, token);
    const second = await openSession(admin, token);
    const ended = await admin.call('/sessions/current', { method: 'DELETE', token: first.token });
    expect(ended.body).toEqual({ ...first.session, expiresAt: anyInstant });
    expect([await statusFor(first.token), await statusFor(second.token)]).toEqual([401, 200]);
    const rotated = await rotate(operator.id, '{"graceSeconds":0}');
    const third = await openSession(admin, rotated.token);
    expect([await statusFor(second.token), await statusFor(third.token)]).toEqual([401, 200]);
    await revoke(operator.id);
    expect(await statusFor(third.token)).toBe(401);
  });

  test('the sessions of an operator can be listed and ended by this operator, and by operators with the role owner', async () => {
    const { operator, token } = await createOperator(admin, 'viewer');
    const other = await createOperator(admin, 'operator');
    const path = `/operators/${operator.id}/sessions`;
    const first = await openSession(admin, token);
    const apart = await openSession(admin, other.token);
    const listed = { createdAt: anyInstant, expiresAt: anyInstant, tokenPrefix: token.slice(0, 8) };
    expect((await admin.call(path)).body).toEqual([listed]);
    const end = (by: string) => admin.call(path, { method: 'DELETE', token: by });
    expect((await end(other.token)).status).toBe(403);
    expect((await end(adminToken)).body).toEqual([listed]);
    const [second, third] = [await openSession(admin, token), await openSession(admin, token)];
    const own = await admin.call('/sessions', { method: 'DELETE', token: second.token });
    expect(own).toMatchObject({ status: 200, body: { operator: { id: operator.id } } });
    const tokens = [first, second, third, apart].map((issued) => issued.token);
    const statuses = await Promise.all([...tokens, token].map(statusFor));
    expect(statuses).toEqual([401, 401, 401, 200, 200]);
    expect((await admin.call(path)).body).toEqual([]);
  });

  test('a session is extended only by a request in which the console reports that the operator is active', async () => {
    const { token } = await openSession(admin, adminToken);
    const { db } = service.database;
    const soon = sql`now() + interval '1 minute'`;
    for (const [headers, count] of [
      [{ [operatorActiveHeader]: 'false' }, 0],
      [{ [operatorActiveHeader]: 'true' }, 1],
    ] as const) {
      await db.update(operatorSessions).set({ expiresAt: soon });
      expect((await admin.call('/keys', { token, headers })).status).toBe(200);
      expect(await db.$count(operatorSessions, sql`expires_at > ${soon}`)).toBe(count);
    }
  });
});

describe('sessions of operators', () => {
  const database = useDatabase('postgres');
  const owner = { type: 'admin_token', id: null, name: 'ADMIN_TOKEN', role: 'owner' } as const;

  /** Deletes all sessions and begins a new one. */
  async function beginOnly() {
    const { db } = database;
    await db.delete(operatorSessions);
    const sessions = createOperatorSessions(db, adminToken);
    return { db, sessions, ...(await sessions.begin(owner, adminToken, async () => {})) };
  }

  test('a session in use is extended until it has reached its maximum lifetime', async () => {
    const { db, sessions, token } = await beginOnly();
    /** Makes the session older, as if time had passed. */
    const age = (seconds: number) =>
      db.update(operatorSessions).set({
        createdAt: sql`${operatorSessions.createdAt} - make_interval(secs => ${seconds})`,
        expiresAt: sql`${operatorSessions.expiresAt} - make_interval(secs => ${seconds})`,
      });
    const lastsLongerThan = (seconds: number) =>
      db.$count(operatorSessions, sql`expires_at > now() + make_interval(secs => ${seconds})`);
    const { idleSeconds, maxSeconds } = sessionLifetime;
    expect(await lastsLongerThan(idleSeconds)).toBe(0);
    await age(idleSeconds - 30);
    expect(await sessions.find(token, { isActive: true })).toEqual(owner);
    expect(await lastsLongerThan(idleSeconds - 60)).toBe(1);
    // The operator has used the session until one minute before its maximum lifetime. So the next
    // request may extend the session by one minute at most.
    await age(maxSeconds - idleSeconds - 60);
    await db.update(operatorSessions).set({ expiresAt: sql`now() + interval '30 seconds'` });
    await sessions.find(token, { isActive: true });
    expect(await lastsLongerThan(120)).toBe(0);
    await age(120);
    expect(await sessions.find(token, { isActive: false })).toBeUndefined();
  });

  test('a session that ends during a request is not extended by that request', async () => {
    const { db, sessions, token } = await beginOnly();
    await db.update(operatorSessions).set({ expiresAt: sql`now() + interval '1 minute'` });
    let finding: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.update(operatorSessions).set({ expiresAt: sql`now()` });
      // The service finds the session while the session is still valid. This transaction then ends
      // the session, and the extension of the session has to wait for the transaction.
      finding = sessions.find(token, { isActive: true });
      // The query runs outside the transaction. In a transaction, every query returns the same
      // snapshot of `pg_stat_activity`, so the test would never see that the extension waits.
      const isWaiting = sql`wait_event_type = 'Lock' and datname = current_database()`;
      await until(() => db.$count(sql`pg_stat_activity`, isWaiting));
    });
    expect(await finding).toEqual(owner);
    expect(await sessions.find(token, { isActive: false })).toBeUndefined();
  });

  test('the stored hash of a session token cannot be computed without the ADMIN_TOKEN, and a new ADMIN_TOKEN ends the sessions of the previous one', async () => {
    const { db, sessions, token } = await beginOnly();
    expect(await sessions.find(token, { isActive: false })).toEqual(owner);
    const [row] = await db.select().from(operatorSessions);
    expect(JSON.stringify(row)).not.toContain(token);
    // Someone who can read the database but does not know the ADMIN_TOKEN cannot compute the stored
    // hash.
    const sameHash = eq(operatorSessions.hash, hashToken(token));
    expect(await db.$count(operatorSessions, sameHash)).toBe(0);
    for (const another of [`${adminToken}-2`, undefined]) {
      const others = createOperatorSessions(db, another);
      expect(await others.find(token, { isActive: false })).toBeUndefined();
    }
  });
});

describe('names of operators', () => {
  const { admin } = useAdmin();
  const create = (name: string) =>
    admin.call('/operators', { json: JSON.stringify({ name, role: 'viewer' }) });

  test('the admin API refuses a name that looks like the name of another active operator', async () => {
    expect((await create('Zoe')).status).toBe(201);
    const { status, body } = await create('Zoë');
    const message =
      'name: expected a name that does not look like the name of another active operator, but it looks like "Zoe"';
    expect({ status, body }).toEqual({
      status: 400,
      body: { code: 'invalid_request', message, status: 400 },
    });
    expect((await create('Zoe')).status).toBe(201);
  });

  // Regression: two operators with similar names were created at the same time. The service
  // compared each name before the other operator was committed.
  test('when two operators with similar-looking names are created at the same time, the admin API refuses one of them', async () => {
    for (let round = 0; round < 10; round += 1) {
      const letters = String.fromCharCode(65 + round).repeat(3);
      const created = await Promise.all([create(`${letters}e`), create(`${letters}é`)]);
      expect(created.map(({ status }) => status).sort()).toEqual([201, 400]);
    }
  });

  test('the admin API refuses reserved names', async () => {
    const { status, body } = await create('Admin Token');
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('are reserved'),
    });
  });
});
