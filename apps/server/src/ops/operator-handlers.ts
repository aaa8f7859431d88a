import { operatorContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import { jsonBody } from '../http/json-body.ts';
import type { OperatorManagement } from '../operators/operator-management.ts';
import { causeOf } from './change-request.ts';

/** The operations on operators. */
export function createOperatorHandlers(operators: OperatorManagement) {
  return initServer().router(operatorContract, {
    createOperator: {
      middleware: [jsonBody],
      async handler({ body, query, res }) {
        return { status: 201, body: await operators.create(body, causeOf(res, query)) };
      },
    },

    async listOperators() {
      return { status: 200, body: await operators.list() };
    },

    rotateOperator: {
      middleware: [jsonBody],
      async handler({ params: { operatorId }, query, body: { graceSeconds }, res }) {
        const cause = causeOf(res, query);
        return { status: 200, body: await operators.rotate(operatorId, graceSeconds, cause) };
      },
    },

    async revokeOperator({ params: { operatorId }, query, res }) {
      return { status: 200, body: await operators.revoke(operatorId, causeOf(res, query)) };
    },
  });
}
