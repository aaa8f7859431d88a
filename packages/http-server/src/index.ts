export { beginRequest } from './begin-request.ts';
export type { WaitingCaller } from './caller-queues.ts';
export { networkOf } from './client-network.ts';
export { addHeader, appendHeader, hasHeader, setHeader } from './collected-headers.ts';
export { createExpress } from './create-express.ts';
export { answerOtherMethods, endpointOptions, refusePath } from './endpoints.ts';
export { errorMapper } from './error-mapper.ts';
export { HttpError, type HttpErrorOptions } from './http-error.ts';
export {
  defaultHttpSettings,
  defaultListenerLimits,
  type HttpSettings,
  type ListenerLimits,
} from './http-settings.ts';
export { jsonBody } from './json-body.ts';
export { type ConnectionLimit, connectionLimits, limitConnections } from './limit-connections.ts';
export { openListener, toLinkUrl } from './listener.ts';
export { type LoadShedder, openLoadShedder } from './load-shedder.ts';
export { paceRequests } from './pace-requests.ts';
export { malformedPath } from './path-encoding.ts';
export { isRepeated } from './repeated-header.ts';
export type { ContractRoute } from './request-locals.ts';
export { outcomeOf, type RequestOutcome } from './request-outcome.ts';
export {
  ageMs,
  beginWait,
  endWait,
  recordArrival,
  recordQueueWait,
  timed,
} from './request-timing.ts';
export { openCursor, sealCursor } from './sealed-cursor.ts';
export { addFiles, type StaticFile, sendFileFrom, sendFilesFrom } from './send-file.ts';
export { JsonTextBody, send } from './send-response.ts';
