export { prefersOpenMetrics } from './exposition-format.ts';
export type { OpsRequestRecord } from './log-ops-request.ts';
export type { Metrics } from './metrics.ts';
export type { ObservabilitySettings } from './observability-settings.ts';
export { type Observability, openObservability } from './open-observability.ts';
export { redisUnavailable } from './redis-unavailable-message.ts';
export type { RequestRecord, RequestTracing } from './request-record.ts';
