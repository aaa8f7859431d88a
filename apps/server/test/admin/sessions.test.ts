import {
  adminRoutes,
  type IssuedOperator,
  type IssuedSession,
  type OperatorRole,
  operatorActiveHeader,
  sessionLifetime,
} from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { operatorSessions } from '../../src/database/schema.ts';
import { createToken, hashToken } from '../../src/keys/token.ts';
import { createOperatorSessions } from '../../src/operators/operator-sessions.ts';
import { type Admin, adminToken, useAdmin } from '../support/admin.ts';
import { useDatabase } from '../support/databases.ts';

const begin = (admin: Admin, token: string) => admin.call('/sessions', { method: 'POST', token });

async function createOperator(admin: Admin, role: OperatorRole): Promise<IssuedOperator> {
  const json = JSON.stringify({ name: 'Ann', role });
  return (await admin.call('/operators', { json })).body as IssuedOperator;
}

describe('sessions', () => {
  const { service, admin } = useAdmin();

  const statusFor = async (token: string) => (await admin.call('/keys', { token })).status;

  async function open(token: string): Promise<IssuedSession> {
    const answer = await begin(admin, token);
    expect(answer.status).toBe(201);
    return answer.body as IssuedSession;
  }

  test('a token is exchanged for a session, which may do what its operator may', async () => {
    const { operator, token } = await createOperator(admin, 'viewer');
    const { session, token: secret } = await open(token);
    expect(secret).toMatch(/^asc_[0-9A-Za-z]{36}$/);
    expect(session).toEqual({
      operator: { id: operator.id, name: 'Ann', role: 'viewer' },
      operations: Object.entries(adminRoutes)
        .filter(([, { role }]) => role === 'viewer')
        .map(([name]) => name),
      expiresAt: expect.any(String),
    });
    const lastsMs = Date.parse(session.expiresAt) - Date.now();
    expect(lastsMs).toBeLessThanOrEqual(sessionLifetime.idleSeconds * 1_000);
    expect(await statusFor(secret)).toBe(200);
    const refused = await admin.call('/keys', { token: secret, json: '{"plan":"free"}' });
    expect(refused.status).toBe(403);
  });

  test('the ADMIN_TOKEN is exchanged for the session of an owner', async () => {
    const { session, token } = await open(adminToken);
    expect(session.operator).toEqual({ id: null, name: 'ADMIN_TOKEN', role: 'owner' });
    expect(session.operations).toEqual(Object.keys(adminRoutes));
    expect((await admin.call('/keys', { token, json: '{"plan":"free"}' })).status).toBe(201);
  });

  test('a session cannot begin another one, and a token cannot end one', async () => {
    const { token } = await open(adminToken);
    const again = await begin(admin, token);
    expect([again.status, again.headers.get('WWW-Authenticate')]).toEqual([
      401,
      'Bearer realm="animal-store-admin", error="invalid_token"',
    ]);
    const end = await admin.call('/sessions/current', { method: 'DELETE' });
    expect(end.status).toBe(401);
    expect(await statusFor(token)).toBe(200);
  });

  test('a session ends when it is told to, and no other one with it', async () => {
    const [first, second] = [await open(adminToken), await open(adminToken)];
    const ended = await admin.call('/sessions/current', { method: 'DELETE', token: first.token });
    expect([ended.status, ended.body]).toEqual([
      200,
      { ...first.session, expiresAt: expect.any(String) },
    ]);
    expect([await statusFor(first.token), await statusFor(second.token)]).toEqual([401, 200]);
  });

  test('a session ends with its operator, and with the token that it was exchanged for', async () => {
    const { operator, token } = await createOperator(admin, 'operator');
    const first = await open(token);
    const json = '{"graceSeconds":0}';
    const rotated = await admin.call(`/operators/${operator.id}/rotate`, { json });
    const second = await open((rotated.body as IssuedOperator).token);
    expect([await statusFor(first.token), await statusFor(second.token)]).toEqual([401, 200]);
    await admin.call(`/operators/${operator.id}/revoke`, { method: 'POST' });
    expect(await statusFor(second.token)).toBe(401);
  });

  test('a session that nobody has is refused', async () => {
    expect(await statusFor(createToken('session'))).toBe(401);
  });

  test('a session is put off only by requests of an operator who is active', async () => {
    const { token } = await open(adminToken);
    const { db, close } = await service.database.open();
    const endsAfter = async (headers: Record<string, string>) => {
      const soon = sql`now() + interval '1 minute'`;
      await db.update(operatorSessions).set({ expiresAt: soon });
      expect((await admin.call('/keys', { token, headers })).status).toBe(200);
      return db.$count(operatorSessions, sql`expires_at > ${soon}`);
    };
    expect(await endsAfter({})).toBe(0);
    expect(await endsAfter({ [operatorActiveHeader]: 'false' })).toBe(0);
    expect(await endsAfter({ [operatorActiveHeader]: 'true' })).toBe(1);
    await close();
  });

  test('a session opens nothing in the public API', async () => {
    const { token } = await open(adminToken);
    expect((await service.call('/pets', { token })).status).toBe(401);
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
    await age(idleSeconds - 30);
    expect(await sessions.find(token)).toEqual(owner);
    expect(await lasts()).toBeLessThanOrEqual(30);
    expect(await sessions.findAndExtend(token)).toEqual(owner);
    expect(await lasts()).toBeGreaterThan(idleSeconds - 60);
    // Used all the time until shortly before its maximum.
    await age(maxSeconds - idleSeconds - 60);
    await db.update(operatorSessions).set({ expiresAt: sql`now() + interval '30 seconds'` });
    await sessions.findAndExtend(token);
    expect(await lasts()).toBeLessThan(120);
    await age(120);
    expect(await sessions.find(token)).toBeUndefined();
  });

  test('a session that ends while it is used is not extended', async () => {
    const { db, sessions, token } = await beginOnly();
    await db.update(operatorSessions).set({ expiresAt: sql`now() + interval '1 minute'` });
    const used = await db.transaction(async (tx) => {
      await tx.update(operatorSessions).set({ expiresAt: sql`now()` });
      // It is found as it was, and its extension waits for this transaction.
      const finding = sessions.findAndExtend(token);
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
    expect(await sessions.find(token)).toBeUndefined();
  });

  test('what is stored is no session, and another ADMIN_TOKEN ends those of the one before', async () => {
    const { db, sessions, token } = await beginOnly();
    expect(await sessions.find(token)).toEqual(owner);

    const [row] = await db.select().from(operatorSessions);
    expect(JSON.stringify(row)).not.toContain(token);
    // Whoever can read the database but does not know the ADMIN_TOKEN cannot compute the hash.
    const found = await db
      .select()
      .from(operatorSessions)
      .where(eq(operatorSessions.hash, hashToken(token)));
    expect(found).toEqual([]);
    expect(await createOperatorSessions(db, `${adminToken}-2`).find(token)).toBeUndefined();
    expect(await createOperatorSessions(db, undefined).find(token)).toBeUndefined();
  });
});
