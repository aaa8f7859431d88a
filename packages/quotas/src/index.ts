export type { Allowance } from './allowance.ts';
export {
  type BanPolicy,
  banLengthSeconds,
  defaultBanPolicy,
  isWarned,
  strikeThreshold,
} from './ban-policy.ts';
export type { BreakerState } from './circuit-breaker.ts';
export type { Consumer, ConsumerId, OnBan } from './consumer.ts';
export {
  createMemoryQuotas,
  createQuotas,
  type Quotas,
  QuotasUnavailableError,
  RedisRefusalError,
} from './create-quotas.ts';
export type { Outcome } from './decide.ts';
export type { EndedBan } from './ended-ban.ts';
export type { RedisSource } from './open-redis.ts';
export {
  maxLimit,
  type Quota,
  type QuotaWindow,
  reportedWindow,
  type WindowName,
  windowSeconds,
} from './quota.ts';
export { QuotaDecision } from './quota-decision.ts';
export { quotaHeaders } from './quota-headers.ts';
export { QuotaLimiter } from './quota-limiter.ts';
export type { QuotasOptions } from './quotas-options.ts';
