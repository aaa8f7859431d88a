import { operatorContract } from '@animal-store/admin-contract';
import { initServer } from '@ts-rest/express';
import { type AdminServices, causeOf, change, confirmActorOf } from './admin-operation.ts';

export function createOperatorHandlers({ operators, sessions }: AdminServices) {
  return initServer().router(operatorContract, {
    async createOperator(request) {
      return { status: 201, body: await operators.create(request.body, causeOf(request)) };
    },
    async listOperators({ query: { search } }) {
      return { status: 200, body: await operators.list(search) };
    },
    rotateOperator: change(({ params, body }, cause) =>
      operators.rotate(params.operatorId, body.graceSeconds, cause),
    ),
    revokeOperator: change(({ params }, cause) => operators.revoke(params.operatorId, cause)),
    async listOperatorSessions({ params: { operatorId } }) {
      await operators.find(operatorId);
      return { status: 200, body: await sessions.list(operatorId) };
    },
    async endOperatorSessions({ params: { operatorId }, res }) {
      await operators.find(operatorId);
      const ended = await sessions.list(operatorId);
      await sessions.endAll(operatorId, confirmActorOf(res));
      return { status: 200, body: ended };
    },
  });
}
