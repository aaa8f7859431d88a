import {
  adminContract,
  adminRoutes,
  type IssuedOperator,
  type Operator,
  type OperatorRole,
  operatorRoles,
} from '@animal-store/contract/admin';
import { beforeAll, describe, expect, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import {
  createOperatorManagement,
  type OperatorManagement,
} from '../../src/operators/operator-management.ts';
import { someCause, useAdmin } from '../support/admin.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('operators', () => {
  let expired: Awaited<ReturnType<OperatorManagement['create']>>;

  const { service, admin } = useAdmin('postgres', {
    async prepare(db) {
      const expiresAt = new Date(Date.now() - 1_000).toISOString();
      expired = await createOperatorManagement(db).create(
        { name: 'expired', role: 'viewer', expiresAt },
        someCause,
      );
    },
  });

  async function create(role: OperatorRole, more: object = {}): Promise<IssuedOperator> {
    const json = JSON.stringify({ name: `a ${role}`, role, ...more });
    const answer = await admin.call('/operators', { json });
    expect(answer.status).toBe(201);
    return answer.body as IssuedOperator;
  }

  const statusFor = async (token: string) => (await admin.call('/keys', { token })).status;
  const list = async () => (await admin.call('/operators')).body as Operator[];
  const rotate = (id: string, json = '') => admin.call(`/operators/${id}/rotate`, { json });
  const revoke = (id: string) => admin.call(`/operators/${id}/revoke`, { method: 'POST' });

  test('an operator has a token of its own, shown once', async () => {
    const { operator, token } = await create('operator', { expiresAt: '2099-01-31T00:00:00Z' });
    expect(token).toMatch(/^aso_[0-9A-Za-z]{36}$/);
    expect(operator).toEqual({
      id: expect.any(String),
      name: 'a operator',
      role: 'operator',
      state: 'active',
      createdAt: anyInstant,
      expiresAt: '2099-01-31T00:00:00.000Z',
      revokedAt: null,
      tokens: [{ prefix: token.slice(0, 8), createdAt: anyInstant, expiresAt: null }],
    });
    expect(await statusFor(token)).toBe(200);
    const listed = await admin.call('/operators');
    expect(listed.body).toContainEqual(operator);
    expect(listed.text).not.toContain(token);
  });

  test('the token of an operator is no API key, and an API key is no operator', async () => {
    const { token } = await create('owner');
    expect((await service.call('/pets', { token })).status).toBe(401);
    expect(await statusFor(service.tokens.enterprise)).toBe(401);
    expect(await statusFor(createToken('operator'))).toBe(401);
  });

  test('an expired operator is refused', async () => {
    const { operator, token } = expired;
    expect(await list()).toContainEqual(
      expect.objectContaining({ id: operator.id, state: 'expired' }),
    );
    expect(await statusFor(token)).toBe(401);
    expect(await rotate(operator.id)).toMatchObject({
      status: 409,
      body: {
        code: 'operator_not_active',
        message: 'The operator is expired: create a new one.',
        status: 409,
      },
    });
  });

  test('a rotation leaves the old token valid for the grace period', async () => {
    const { operator, token } = await create('viewer');
    const first = (await rotate(operator.id)).body as IssuedOperator;
    expect([await statusFor(token), await statusFor(first.token)]).toEqual([200, 200]);
    expect(first.operator.tokens.map(({ prefix }) => prefix)).toEqual(
      [first.token, token].map((each) => each.slice(0, 8)),
    );
    const last = (await rotate(operator.id, '{"graceSeconds":0}')).body as IssuedOperator;
    const tokens = [token, first.token, last.token];
    expect(await Promise.all(tokens.map(statusFor))).toEqual([401, 401, 200]);
  });

  test('a revoked operator is refused at once, for good, and a second time changes nothing', async () => {
    const { operator, token } = await create('owner');
    const once = await revoke(operator.id);
    expect(once).toMatchObject({ status: 200, body: { id: operator.id, state: 'revoked' } });
    expect(await statusFor(token)).toBe(401);
    expect((await revoke(operator.id)).body).toEqual(once.body);
    expect((await rotate(operator.id)).status).toBe(409);
  });

  test.each(['rotate', 'revoke'])('%s of nobody is 404', async (operation) => {
    const answer = await admin.call(`/operators/${nobody}/${operation}`, { method: 'POST' });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      code: 'operator_not_found',
      message: `There is no operator with the id ${nobody}.`,
      status: 404,
    });
  });

  describe('roles:', () => {
    const tokens = new Map<OperatorRole, string>();

    beforeAll(async () => {
      for (const role of operatorRoles) tokens.set(role, (await create(role)).token);
    });

    const cases = Object.keys(adminContract).flatMap((name) =>
      operatorRoles.map((role) => [name as keyof typeof adminContract, role] as const),
    );

    test.each(cases)('%s by a %s', async (name, role) => {
      const { method, path, role: needed } = adminRoutes[name];
      const isAllowed = operatorRoles.indexOf(role) >= operatorRoles.indexOf(needed);
      const { status, body } = await admin.call(path.replace(/:\w+/, nobody), {
        method,
        token: tokens.get(role) ?? '',
        // Whoever lacks the role must not even learn that the body is wrong.
        ...(method === 'GET' ? {} : { json: '{"nonsense":' }),
      });
      if (isAllowed) {
        // A token cannot end a session: only a session can.
        expect(name === 'endSession' ? [401] : [200, 201, 400, 404]).toContain(status);
        return;
      }
      expect({ status, body }).toEqual({
        status: 403,
        body: {
          code: 'forbidden',
          message: `This operation needs the role ${needed}.`,
          status: 403,
        },
      });
    });

    test('every role has an operation that it lacks, but for owners', () => {
      const needed = Object.values(adminRoutes).map(({ role }) => role);
      expect(new Set(needed)).toEqual(new Set(operatorRoles));
    });
  });
});
