import {
  adminBasePath,
  type IssuedKey,
  type IssuedOperator,
  type IssuedSession,
  type Operator,
  type OperatorRole,
} from '@animal-store/admin-contract';
import { until } from '@animal-store/testkit';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createOperatorManagement } from '../../src/operators/operator-management.ts';
import { createOperatorSessions } from '../../src/operators/operator-sessions.ts';
import { AdminRefusal } from '../../src/schema/admin-refusal.ts';
import { operators } from '../../src/schema/schema.ts';
import { adminToken, someCause, useAdmin } from '../support/admin.ts';
import { holdBody } from '../support/held-request.ts';

const { service, admin } = useAdmin();

async function createOperator(role: OperatorRole) {
  const json = JSON.stringify({ name: 'Ann', role });
  return (await admin.call('/operators', { json })).body as IssuedOperator;
}
const post = (path: string, json = '{}') => admin.call(path, { method: 'POST', json });
const openSession = async (token: string) =>
  (await admin.call('/sessions', { method: 'POST', token })).body as IssuedSession;
const refused = { code: 'unauthorized', message: 'The admin token is not valid.', status: 401 };

/**
 * The ways in which an operator can lose permission. Each function takes the permission away, and
 * returns the status 200 if it was successful.
 */
const ends = {
  revoked: async (id: string) => (await post(`/operators/${id}/revoke`)).status,
  'rotated without grace': async (id: string) =>
    (await post(`/operators/${id}/rotate`, '{"graceSeconds":0}')).status,
  async expired(id: string) {
    const expired = { expiresAt: sql`now()` };
    await service.database.db.update(operators).set(expired).where(eq(operators.id, id));
    return 200;
  },
};

test.each(Object.entries(ends))(
  'the admin API refuses every change by an operator who is %s while the request body arrives',
  async (_, end) => {
    const { key } = await admin.create('{"plan":"free"}');
    const before = await Promise.all([admin.read('/keys'), admin.read('/accounts')]);
    for (const [method, path, json] of [
      ['POST', '/operators', '{"name":"Late","role":"owner"}'],
      ['POST', '/keys', '{"name":"late","plan":"free"}'],
      ['PATCH', `/keys/${key.id}`, '{"name":"late"}'],
      ['PUT', '/accounts/late', '{"plan":"pro"}'],
    ] as const) {
      const { operator, token } = await createOperator('owner');
      const shown = path === '/keys' ? (await openSession(token)).token : token;
      const url = service.server.opsUrl + adminBasePath + path;
      using held = await holdBody(url, { method, token: shown, json });
      expect(await end(operator.id)).toBe(200);
      const answer = await held.finish();
      expect(answer, `${method} ${path}`).toMatchObject({ status: 401, body: refused });
      expect(answer.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
    }
    expect(await Promise.all([admin.read('/keys'), admin.read('/accounts')])).toEqual(before);
    expect(await admin.read<Operator[]>('/operators?search=Late')).toEqual([]);
  },
);

test("the admin API refuses a change when the operator's session ends while the request body arrives", async () => {
  const { token } = await openSession(adminToken);
  const url = `${service.server.opsUrl + adminBasePath}/keys`;
  using held = await holdBody(url, { token, json: '{"name":"ended","plan":"free"}' });
  await admin.call('/sessions/current', { method: 'DELETE', token });
  expect(await held.finish()).toMatchObject({ status: 401, body: refused });
  expect(await admin.read<IssuedKey[]>('/keys?search=ended')).toEqual([]);
});

/**
 * Returns the arguments with which the ops listener calls a change: the actor of the token, and a
 * function that checks the actor's permission again.
 */
async function causeOf(token: string) {
  const sessions = createOperatorSessions(service.database.db, adminToken);
  const actor = await sessions.findByToken(token);
  if (actor === undefined) throw new Error('The operator is not active.');
  return {
    ...{ ...someCause, actor },
    async confirmActor(tx: Parameters<typeof sessions.confirm>[0]) {
      const role = await sessions.confirm(tx, actor, token);
      if (role === undefined) throw new AdminRefusal('unauthorized', 'ended');
    },
  };
}

test('a change by an operator waits while another transaction revokes the operator, and is then refused', async () => {
  const { db } = service.database;
  const { operator, token } = await createOperator('owner');
  const cause = await causeOf(token);
  let creation: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    await tx.update(operators).set({ revokedAt: sql`now()` }).where(eq(operators.id, operator.id));
    creation = createOperatorManagement(db).create({ name: 'Waits', role: 'owner' }, cause);
    creation.catch(() => {});
    // The query runs outside the transaction. In a transaction, every query returns the same
    // snapshot of `pg_stat_activity`, so the test would never see that the change waits.
    const isWaiting = sql`wait_event_type = 'Lock' and datname = current_database()`;
    await until(() => db.$count(sql`pg_stat_activity`, isWaiting));
  });
  await expect(creation).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await admin.read<Operator[]>('/operators?search=Waits')).toEqual([]);
});

test('the admin API refuses to begin or end a session when the operator is revoked while the request runs', async () => {
  const { db } = service.database;
  const sessions = createOperatorSessions(db, adminToken);
  const { operator, token } = await createOperator('owner');
  const other = await createOperator('owner');
  await openSession(other.token);
  const { actor, confirmActor } = await causeOf(token);
  await post(`/operators/${operator.id}/revoke`);
  await expect(sessions.begin(actor, token, confirmActor)).rejects.toMatchObject({
    code: 'unauthorized',
  });
  await expect(sessions.endAll(other.operator.id, confirmActor)).rejects.toMatchObject({
    code: 'unauthorized',
  });
  expect(await sessions.list(other.operator.id)).toHaveLength(1);
});

test('the admin API keeps one owner when the last two owners revoke each other at the same time', async () => {
  const management = createOperatorManagement(service.database.db);
  for (let i = 0; i < 20; i += 1) {
    const [a, b] = [await createOperator('owner'), await createOperator('owner')];
    const [causeA, causeB] = [await causeOf(a.token), await causeOf(b.token)];
    const outcomes = await Promise.allSettled([
      management.revoke(b.operator.id, causeA),
      management.revoke(a.operator.id, causeB),
    ]);
    const codes = outcomes.map((it) => (it.status === 'rejected' ? it.reason.code : it.status));
    expect(codes.sort()).toEqual(['fulfilled', 'unauthorized']);
  }
});
