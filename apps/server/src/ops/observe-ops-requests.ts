import { isKeyId } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { onceOver } from '../http/request-outcome.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';

/** Tells of each request to the operators' listener once it is over, however it ended. */
export function observeOpsRequests(onEnd: (record: OpsRequestRecord) => void): RequestHandler {
  return function observeOpsRequest(req, res, next) {
    onceOver(req, res, (outcome) => {
      const { keyId, pathParams, reasons } = res.locals;
      // Parameters are read behind the admin token, so a stranger's are not repeated; and they may
      // be anything until they are looked at.
      const asked = pathParams?.['keyId'];
      onEnd({
        ...outcome,
        keyId: keyId ?? (isKeyId(asked) ? asked.toLowerCase() : undefined),
        reasons,
      });
    });
    next();
  };
}
