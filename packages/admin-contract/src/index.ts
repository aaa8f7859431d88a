export { maxLimit } from '@animal-store/contract/plan';
export { tidyAccountName } from './account-name.ts';
export {
  type Account,
  type AccountDetails,
  type AccountFilter,
  type AccountPlan,
  type ListedAccount,
  maxBusyKeys,
  maxShownKeys,
} from './admin-account.ts';
export {
  type AuditAction,
  type AuditActorType,
  type AuditEntry,
  type AuditFilter,
  AuditState,
  auditActions,
  auditActorTypes,
  auditRetentionDays,
} from './admin-audit.ts';
export {
  accountContract,
  adminContract,
  auditContract,
  keyContract,
  operatorContract,
  overviewContract,
  sessionContract,
  usageContract,
} from './admin-contract.ts';
export type { Deprecation } from './admin-deprecation.ts';
export { type AdminErrorCode, adminErrorCodes, adminErrorMessages } from './admin-error-codes.ts';
export { keyStates, maxCounted } from './admin-fields.ts';
export { type IssuedKey, isKeyId, type Key, type KeyState } from './admin-key.ts';
export type { KeyChange } from './admin-key-change.ts';
export {
  type KeyFilter,
  type KeySort,
  keySorts,
  type ListedKey,
  type RecentUse,
} from './admin-key-list.ts';
export type { KeyDetails, KeyUsage } from './admin-key-usage.ts';
export type { NewKey } from './admin-new-key.ts';
export { createAdminOpenApi } from './admin-openapi.ts';
export {
  type IssuedOperator,
  type NewOperator,
  type Operator,
  type OperatorRole,
  type OperatorSession,
  operatorRoles,
} from './admin-operator.ts';
export type { DeniedCaller, Overview } from './admin-overview.ts';
export { gracePeriod } from './admin-rotation.ts';
export { adminBasePath, adminRoutes, operatorActiveHeader } from './admin-routes.ts';
export {
  type IssuedSession,
  type Session,
  sessionLifetime,
  type UsageKeptSeconds,
} from './admin-session.ts';
export type { Suspension } from './admin-suspension.ts';
export { defaultOpsPort, expectedAdminToken, isAdminToken } from './admin-token.ts';
export {
  type BusyKey,
  type LedgerOfKey,
  maxGroupedDays,
  maxUsageBuckets,
  type ServiceLedger,
  type ServiceUsageRow,
  type UsageBucket,
  type UsageOperation,
  type UsageOutcome,
  type UsageRow,
  usageBucketSeconds,
  usageOperations,
  usageOutcomes,
} from './admin-usage.ts';
export { AccountName } from './label-schema.ts';
export { looksAlike } from './operator-name.ts';
