import { adminErrorMessages, type Operator, operatorContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import { HttpError } from '../http/http-error.ts';
import type { OperatorManagement, OperatorRecord } from '../operators/operator-management.ts';
import { toTimes } from '../shared/iso-times.ts';
import { causeOf, readExpiry } from './change-request.ts';

/** The operations on operators. */
export function createOperatorHandlers(operators: OperatorManagement) {
  return initServer().router(operatorContract, {
    async createOperator({ body: { expiresAt, ...operator }, query, res }) {
      const newOperator = { ...operator, expiresAt: readExpiry(expiresAt) ?? undefined };
      const created = await operators.create(newOperator, causeOf(res, query));
      return {
        status: 201,
        body: { operator: toOperator(created.operator), token: created.token },
      };
    },

    async listOperators() {
      return { status: 200, body: (await operators.list()).map(toOperator) };
    },

    async rotateOperator({ params: { operatorId }, query, body: { graceSeconds }, res }) {
      const rotation = await operators.rotate(operatorId, graceSeconds, causeOf(res, query));
      switch (rotation.outcome) {
        case 'no-such-operator':
          throw noSuchOperator(operatorId);
        case 'not-active':
          throw new HttpError(
            'operator_not_active',
            adminErrorMessages.operator_not_active(rotation.state),
          );
        case 'rotated':
          return {
            status: 200,
            body: { operator: toOperator(rotation.operator), token: rotation.token },
          };
      }
    },

    async revokeOperator({ params: { operatorId }, query, res }) {
      const operator = await operators.revoke(operatorId, causeOf(res, query));
      if (operator === undefined) throw noSuchOperator(operatorId);
      return { status: 200, body: toOperator(operator) };
    },
  });
}

function noSuchOperator(id: string): HttpError {
  return new HttpError('operator_not_found', adminErrorMessages.operator_not_found(id));
}

function toOperator(operator: OperatorRecord): Operator {
  return { ...operator, ...toTimes(operator) };
}
