import type { RequestHandler } from 'express';
import { networkOf } from '../http/client-network.ts';
import { trackRequest } from '../http/track-request.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';

/** Creates the first step of the operators' listener. It reports each finished request. */
export function observeOpsRequests(onEnd: (record: OpsRequestRecord) => void): RequestHandler {
  return function observeOpsRequest(req, res, next) {
    // Not at the end: a connection that is closed has no address any more.
    const network = networkOf(req.ip, req.socket);
    trackRequest(req, res, (outcome) => {
      const { operator, keyId, account, reasons } = res.locals;
      onEnd({ ...outcome, network, operator: operator?.actor.name, keyId, account, reasons });
    });
    next();
  };
}
