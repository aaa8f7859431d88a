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
} from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { operatorSessions } from '../../src/database/schema.ts';
import { createToken, hashToken } from '../../src/keys/token.ts';
import { createOperatorManagement } from '../../src/operators/operator-management.ts';
import { createOperatorSessions } from '../../src/operators/operator-sessions.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { type Admin, adminOf, adminToken, someCause, useAdmin } from '../support/admin.ts';
import { useDatabase } from '../support/databases.ts';
import { logOf } from '../support/observed.ts';
import { sendRaw } from '../support/raw-http.ts';
import { startService } from '../support/test-service.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const challenge = (error?: string) =>
  `Bearer realm="animal-store-admin"${error === undefined ? '' : `, error="${error}"`}`;

async function createOperator(admin: Admin, role: OperatorRole, more = {}) {
  const json = JSON.stringify({ name: 'Ann', role, ...more });
  return (await admin.call('/operators', { json })).body as IssuedOperator;
}

async function openSession(admin: Admin, token: string) {
  const { status, body } = await admin.call('/sessions', { method: 'POST', token });
  expect(status).toBe(201);
  return body as IssuedSession;
}

test('wrong tokens get 401, after ten in a minute 429, and right ones always pass', async () => {
  await using service = await startService('postgres', {
    env: { ADMIN_TOKEN: adminToken },
    clock: systemClock,
    // An hour, which does not end during the test. The minute: admin-conformance.test.ts.
    timings: { ops: { guessDelayMs: 20, guessWindowSeconds: 3_600 } },
  });
  const admin = adminOf(service.server);
  const statusesOf = async (tokens: readonly string[]) => {
    const answers = await Promise.all(tokens.map((token) => admin.call('/keys', { token })));
    return answers.map(({ status }) => status).sort();
  };
  const [ann, unseen, left] = [
    await createOperator(admin, 'owner'),
    await createOperator(admin, 'owner'),
    await createOperator(admin, 'owner'),
  ];
  // A missing token is no guess, and a right one costs nothing.
  for (const path of ['/keys', `/keys/${nobody}`, '/nothing', '/', '/keys/%ff']) {
    for (let n = 0; n < 3; n++) {
      const { status, headers, body } = await admin.call(path, { token: null });
      expect([status, headers.get('WWW-Authenticate')]).toEqual([401, challenge()]);
      const message = 'Send your token as "Authorization: Bearer <token>".';
      expect(body).toEqual({ code: 'unauthorized', message, status: 401 });
    }
  }
  expect(await statusesOf([left.token, ...Array(20).fill(ann.token)])).toEqual(Array(21).fill(200));

  for (const authorization of [
    `Bearer ${adminToken}x`,
    `Bearer ${adminToken.slice(0, -1)}`,
    `Bearer ${adminToken.toUpperCase()}`,
    `Basic ${adminToken}`,
    'Bearer',
    `Bearer ${service.tokens.enterprise}`,
    `Bearer ${createToken('operator')}`,
    `Bearer ${createToken('session')}`,
  ]) {
    const headers = { Authorization: authorization };
    const answer = await admin.call('/keys', { token: null, headers });
    expect([answer.status, answer.headers.get('WWW-Authenticate'), answer.body]).toEqual([
      401,
      challenge('invalid_token'),
      { code: 'unauthorized', message: 'The admin token is not right.', status: 401 },
    ]);
  }
  const invented = Array.from({ length: 100 }, () => createToken('operator'));
  expect(await statusesOf(invented)).toEqual([401, 401, ...Array(98).fill(429)]);
  const refused = await admin.call('/keys', { token: `${adminToken}x` });
  expect(refused.headers.get('Retry-After')).toMatch(/^3[3-6]\d\d$/);
  expect(refused.body).toEqual({
    code: 'rate_limit_exceeded',
    message: expect.stringMatching(/^Too many wrong admin tokens .* Retry after \d+ s\.$/),
    status: 429,
  });

  // A leaked key must be revocable during an attack.
  const session = await openSession(admin, adminToken);
  const valid = [adminToken, ann.token, unseen.token, session.token];
  expect(await statusesOf(valid)).toEqual(Array(4).fill(200));
  expect((await fetch(`${service.server.opsUrl}/livez`)).status).toBe(200);
  // Nobody guessed a token that was valid before: who sends it learns that it no longer is.
  await admin.call(`/operators/${left.operator.id}/revoke`, { method: 'POST' });
  expect(await statusesOf([left.token])).toEqual([401]);
  expect(await statusesOf([left.token])).toEqual([429]);

  const linesOf = (msg: string) => logOf(service.server).filter((line) => line['msg'] === msg);
  await until(() => linesOf('ops requests without a line of their own').length > 0);
});

describe('operators', () => {
  const { service, admin } = useAdmin('postgres', { env: { MAX_PIPELINED_REQUESTS: '25' } });

  const statusFor = async (token: string) => (await admin.call('/keys', { token })).status;
  const rotate = async (id: string, json = '') =>
    (await admin.call(`/operators/${id}/rotate`, { json })).body as IssuedOperator;
  const revoke = (id: string) => admin.call(`/operators/${id}/revoke`, { method: 'POST' });

  const sendLines = (lines: string, answers: number) =>
    sendRaw(
      service.server.opsUrl,
      `GET /admin/v1/keys HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`.repeat(answers),
      { answers },
    );

  test.each([[[adminToken, adminToken]], [[adminToken, 'x']], [['x', adminToken]]])(
    'two tokens are refused: %j',
    async (tokens) => {
      const lines = tokens.map((token) => `Authorization: Bearer ${token}\r\n`).join('');
      const [answer] = await sendLines(lines, 1);
      const message = 'Authorization: expected once, got it several times.';
      expect(answer).toMatchObject({ status: 401, body: { message } });
      expect(answer?.headers.get('WWW-Authenticate')).toBe(challenge('invalid_request'));
    },
  );

  test('the ADMIN_TOKEN is accepted in any case of the scheme, and in 25 pipelined requests', async () => {
    const answers = await sendLines(`Authorization: bEARER  ${adminToken}\r\n`, 25);
    expect(answers.map(({ status }) => status)).toEqual(Array(25).fill(200));
  });

  test('an operator has a token of its own, shown once, which opens nothing in the public API', async () => {
    const { operator, token } = await createOperator(admin, 'operator', {
      expiresAt: '2099-01-31T00:00:00Z',
    });
    expect(token).toMatch(/^aso_[0-9A-Za-z]{36}$/);
    expect(operator).toEqual({
      id: expect.any(String),
      name: 'Ann',
      role: 'operator',
      state: 'active',
      createdAt: anyInstant,
      expiresAt: '2099-01-31T00:00:00.000Z',
      revokedAt: null,
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

  test('an expired operator is refused', async () => {
    const { db, close } = await service.database.open();
    const expiresAt = new Date(Date.now() - 1_000).toISOString();
    const { operator, token } = await createOperatorManagement(db).create(
      { name: 'expired', role: 'viewer', expiresAt },
      someCause,
    );
    await close();
    const listed = (await admin.call('/operators')).body as Operator[];
    expect(listed.find(({ id }) => id === operator.id)?.state).toBe('expired');
    expect(await statusFor(token)).toBe(401);
    expect(await rotate(operator.id)).toEqual({
      code: 'operator_not_active',
      message: 'The operator is expired: create a new one.',
      status: 409,
    });
  });

  test('a rotation leaves the old token valid for the grace period, and a revocation none', async () => {
    const { operator, token } = await createOperator(admin, 'viewer');
    const first = await rotate(operator.id);
    const [newest, replaced] = first.operator.tokens;
    expect([newest?.prefix, replaced?.prefix]).toEqual([
      first.token.slice(0, 8),
      token.slice(0, 8),
    ]);
    expect([await statusFor(token), await statusFor(first.token)]).toEqual([200, 200]);
    const last = await rotate(operator.id, '{"graceSeconds":0}');
    const tokens = [token, first.token, last.token];
    expect(await Promise.all(tokens.map(statusFor))).toEqual([401, 401, 200]);

    const revoked = await revoke(operator.id);
    expect(revoked).toMatchObject({ status: 200, body: { id: operator.id, state: 'revoked' } });
    expect(await statusFor(last.token)).toBe(401);
    expect((await revoke(operator.id)).body).toEqual(revoked.body);
    expect(await rotate(operator.id)).toMatchObject({ status: 409 });
  });

  test.each(['rotate', 'revoke'])('%s of nobody is 404', async (operation) => {
    const { body } = await admin.call(`/operators/${nobody}/${operation}`, { method: 'POST' });
    const message = `There is no operator with the id ${nobody}.`;
    expect(body).toEqual({ code: 'operator_not_found', message, status: 404 });
  });

  test.each(operatorRoles)('a %s may do what its role allows, and nothing else', async (role) => {
    const { token } = await createOperator(admin, role);
    for (const name of Object.keys(adminContract) as (keyof typeof adminContract)[]) {
      const { method, path, role: needed } = adminRoutes[name];
      const isAllowed = operatorRoles.indexOf(role) >= operatorRoles.indexOf(needed);
      // Whoever lacks the role must not even learn that the body is wrong.
      const json = method === 'GET' ? {} : { json: '{"nonsense":' };
      const { status, body } = await admin.call(path.replace(/:\w+/, nobody), {
        ...{ method, token, ...json },
      });
      const message = `This operation needs the role ${needed}.`;
      if (!isAllowed) expect(body, name).toEqual({ code: 'forbidden', message, status: 403 });
      // A token cannot end a session: only a session can.
      else expect(name === 'endSession' ? [401] : [200, 201, 400, 404], name).toContain(status);
    }
    expect(Object.values(adminRoutes).map(({ role }) => role)).toContain(role);
  });

  test.each([
    ['viewer', 403],
    ['owner', 201],
  ] as const)('a session may do what its operator may: a %s', async (role, status) => {
    const { operator, token } =
      role === 'owner'
        ? { operator: { id: null, name: 'ADMIN_TOKEN' }, token: adminToken }
        : await createOperator(admin, role);
    const { session, token: secret } = await openSession(admin, token);
    expect(secret).toMatch(/^asc_[0-9A-Za-z]{36}$/);
    const routes = Object.entries(adminRoutes);
    expect(session).toEqual({
      operator: { id: operator.id, name: operator.name, role },
      operations: routes
        .filter(([, route]) => role === 'owner' || route.role === role)
        .map(([name]) => name),
      expiresAt: anyInstant,
    });
    expect(await statusFor(secret)).toBe(200);
    const created = await admin.call('/keys', {
      token: secret,
      json: '{"name":"x","plan":"free"}',
    });
    expect(created.status).toBe(status);
  });

  test('a session cannot begin another one, and ends when it is told to, alone', async () => {
    const [first, second] = [
      await openSession(admin, adminToken),
      await openSession(admin, adminToken),
    ];
    const again = await admin.call('/sessions', { method: 'POST', token: first.token });
    expect([again.status, again.headers.get('WWW-Authenticate')]).toEqual([
      401,
      challenge('invalid_token'),
    ]);
    const ended = await admin.call('/sessions/current', { method: 'DELETE', token: first.token });
    expect([ended.status, ended.body]).toEqual([
      200,
      { ...first.session, expiresAt: expect.any(String) },
    ]);
    expect([await statusFor(first.token), await statusFor(second.token)]).toEqual([401, 200]);
  });

  test('an operator is found by the start of any token it had, and its sessions are listed and ended by it or an owner', async () => {
    const { operator, token } = await createOperator(admin, 'viewer', {
      name: 'Zoë of the sessions',
    });
    const other = await createOperator(admin, 'operator');
    const { token: rotated } = await rotate(operator.id, '{"graceSeconds":60}');
    await rotate(operator.id, '{"graceSeconds":0}');
    for (const search of [token.slice(0, 8), rotated.slice(0, 8), 'ZOE of']) {
      const { body } = await admin.call(`/operators?search=${encodeURIComponent(search)}`);
      expect((body as Operator[]).map(({ id }) => id)).toEqual([operator.id]);
    }
    const { token: valid } = await rotate(operator.id, '{"graceSeconds":0}');
    const path = `/operators/${operator.id}/sessions`;
    const [first, second] = [await openSession(admin, valid), await openSession(admin, valid)];
    const apart = await openSession(admin, other.token);
    const listed = { createdAt: anyInstant, expiresAt: anyInstant, tokenPrefix: valid.slice(0, 8) };
    expect((await admin.call(path)).body).toEqual([listed, listed]);
    const end = (by: string) => admin.call(path, { method: 'DELETE', token: by });
    expect((await end(other.token)).body).toEqual({
      code: 'forbidden',
      message: 'This operation needs the role owner.',
      status: 403,
    });
    expect((await end(adminToken)).body).toEqual([listed, listed]);
    const again = [await openSession(admin, valid), await openSession(admin, valid)] as const;
    const own = await admin.call('/sessions', { method: 'DELETE', token: again[0].token });
    expect([own.status, (own.body as IssuedSession['session']).operator.id]).toEqual([
      200,
      operator.id,
    ]);
    expect(await statusFor(again[1].token)).toBe(401);
    expect([
      await statusFor(first.token),
      await statusFor(second.token),
      await statusFor(apart.token),
      await statusFor(valid),
    ]).toEqual([401, 401, 200, 200]);
    expect((await end(adminToken)).body).toEqual([]);
    expect((await admin.call(`/operators/${nobody}/sessions`)).status).toBe(404);
  });

  test('a session ends with its operator, and with the token that it was exchanged for', async () => {
    const { operator, token } = await createOperator(admin, 'operator');
    const first = await openSession(admin, token);
    const rotated = await rotate(operator.id, '{"graceSeconds":0}');
    const second = await openSession(admin, rotated.token);
    expect([await statusFor(first.token), await statusFor(second.token)]).toEqual([401, 200]);
    await revoke(operator.id);
    expect(await statusFor(second.token)).toBe(401);
  });

  test.each([
    [{}, 0],
    [{ [operatorActiveHeader]: 'false' }, 0],
    [{ [operatorActiveHeader]: 'true' }, 1],
  ])('a session is put off only by who is active: with %j, %i', async (headers, count) => {
    const { token } = await openSession(admin, adminToken);
    const { db, close } = await service.database.open();
    const soon = sql`now() + interval '1 minute'`;
    await db.update(operatorSessions).set({ expiresAt: soon });
    expect((await admin.call('/keys', { token, headers })).status).toBe(200);
    expect(await db.$count(operatorSessions, sql`expires_at > ${soon}`)).toBe(count);
    await close();
  });
});

describe('in the database', () => {
  const database = useDatabase('postgres');
  const owner = { type: 'admin_token', id: null, name: 'ADMIN_TOKEN', role: 'owner' } as const;

  /** Begins the only session that there is. */
  async function beginOnly() {
    const { db } = database;
    await db.delete(operatorSessions);
    const sessions = createOperatorSessions(db, adminToken);
    const { token } = await sessions.begin(owner, adminToken);
    return { db, sessions, token };
  }

  test('a session that is used lasts longer, up to its maximum, and then ends', async () => {
    const { db, sessions, token } = await beginOnly();

    /** Moves the session into the past, as if time had gone by. */
    const age = (seconds: number) =>
      db.update(operatorSessions).set({
        createdAt: sql`${operatorSessions.createdAt} - make_interval(secs => ${seconds})`,
        expiresAt: sql`${operatorSessions.expiresAt} - make_interval(secs => ${seconds})`,
      });
    const lasts = async () => {
      const [row] = await db
        .select({ seconds: sql<number>`extract(epoch from expires_at - now())::int` })
        .from(operatorSessions);
      return Number(row?.seconds);
    };

    const { idleSeconds, maxSeconds } = sessionLifetime;
    expect(await lasts()).toBeLessThanOrEqual(idleSeconds);
    await age(idleSeconds - 30);
    expect(await sessions.find(token, { isActive: false })).toEqual(owner);
    expect(await lasts()).toBeLessThanOrEqual(30);
    expect(await sessions.find(token, { isActive: true })).toEqual(owner);
    expect(await lasts()).toBeGreaterThan(idleSeconds - 60);
    // Used all the time until shortly before its maximum.
    await age(maxSeconds - idleSeconds - 60);
    await db.update(operatorSessions).set({ expiresAt: sql`now() + interval '30 seconds'` });
    await sessions.find(token, { isActive: true });
    expect(await lasts()).toBeLessThan(120);
    await age(120);
    expect(await sessions.find(token, { isActive: false })).toBeUndefined();
  });

  test('a session that ends while it is used is not extended', async () => {
    const { db, sessions, token } = await beginOnly();
    await db.update(operatorSessions).set({ expiresAt: sql`now() + interval '1 minute'` });
    const used = await db.transaction(async (tx) => {
      await tx.update(operatorSessions).set({ expiresAt: sql`now()` });
      // It is found as it was, and its extension waits for this transaction.
      const finding = sessions.find(token, { isActive: true });
      // Asked outside, because a transaction sees the same activity all the time.
      await until(async () => {
        const waiting = await db
          .select({ pid: sql<number>`pid` })
          .from(sql`pg_stat_activity`)
          .where(sql`wait_event_type = 'Lock' and datname = current_database()`);
        return waiting.length > 0;
      });
      return { finding };
    });
    expect(await used.finding).toEqual(owner);
    expect(await sessions.find(token, { isActive: false })).toBeUndefined();
  });

  test('what is stored is no session, and another ADMIN_TOKEN ends those of the one before', async () => {
    const { db, sessions, token } = await beginOnly();
    expect(await sessions.find(token, { isActive: false })).toEqual(owner);
    const [row] = await db.select().from(operatorSessions);
    expect(JSON.stringify(row)).not.toContain(token);
    // Whoever can read the database but does not know the ADMIN_TOKEN cannot compute the hash.
    const sameHash = eq(operatorSessions.hash, hashToken(token));
    expect(await db.$count(operatorSessions, sameHash)).toBe(0);
    expect(
      await createOperatorSessions(db, `${adminToken}-2`).find(token, { isActive: false }),
    ).toBeUndefined();
    expect(
      await createOperatorSessions(db, undefined).find(token, { isActive: false }),
    ).toBeUndefined();
  });
});
