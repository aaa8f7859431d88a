import { isKeyId } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { onceOver } from '../http/request-outcome.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';

/** Reports each finished request to the operators' listener. */
export function observeOpsRequests(onEnd: (record: OpsRequestRecord) => void): RequestHandler {
  return function observeOpsRequest(req, res, next) {
    onceOver(req, res, (outcome) => {
      const { actor, keyId, pathParams, reasons } = res.locals;
      // Set behind the authentication only, so no stranger's parameters are logged. It is not validated.
      const asked = pathParams?.['keyId'];
      onEnd({
        ...outcome,
        operator: actor?.name,
        keyId: keyId ?? (isKeyId(asked) ? asked.toLowerCase() : undefined),
        reasons,
      });
    });
    next();
  };
}
