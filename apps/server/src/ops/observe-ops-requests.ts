import { isKeyId } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { trackRequest } from '../http/track-request.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';

/** Creates the first step of the operators' listener. It reports each finished request. */
export function observeOpsRequests(onEnd: (record: OpsRequestRecord) => void): RequestHandler {
  return function observeOpsRequest(req, res, next) {
    trackRequest(req, res, (outcome) => {
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
