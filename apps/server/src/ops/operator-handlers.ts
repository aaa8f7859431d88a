import { operatorContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { OperatorManagement } from '../operators/operator-management.ts';
import { accepted, causeOf } from './change-request.ts';

/** The operations on operators. */
export function createOperatorHandlers(operators: OperatorManagement) {
  return initServer().router(operatorContract, {
    async createOperator({ body, query, res }) {
      const { holder, token } = await operators.create(body, causeOf(res, query));
      return { status: 201, body: { operator: holder, token } };
    },

    async listOperators() {
      return { status: 200, body: await operators.list() };
    },

    async rotateOperator({ params: { operatorId }, query, body: { graceSeconds }, res }) {
      const rotation = await operators.rotate(operatorId, graceSeconds, causeOf(res, query));
      const { holder, token } = accepted(rotation);
      return { status: 200, body: { operator: holder, token } };
    },

    async revokeOperator({ params: { operatorId }, query, res }) {
      const { holder } = accepted(await operators.revoke(operatorId, causeOf(res, query)));
      return { status: 200, body: holder };
    },
  });
}
