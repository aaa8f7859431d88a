export {
  type BanPolicy,
  banLengthSeconds,
  defaultBanPolicy,
  isWarned,
  strikeThreshold,
} from './ban-policy.ts';
export { contract } from './contract.ts';
export { type Deprecation, deprecations } from './deprecations.ts';
export { ErrorBody, maxMessageBytes } from './error-body.ts';
export {
  type ErrorCode,
  type ErrorDescription,
  errorCodes,
  errorMessages,
  type PublicErrorDescription,
} from './error-codes.ts';
export { errorDocsPath } from './error-docs-path.ts';
export { parseJson, stringifyJson } from './exact-json.ts';
export { exactBody, exactJsonApi } from './exact-json-api.ts';
export { type Int64, int64Max, int64Min, normalizeInt64, parseInt64 } from './int64.ts';
export { findLink, formatLinks, type WebLink } from './link.ts';
export { nameLength } from './name-schema.ts';
export { faultOfNewName } from './new-name.ts';
export type { OperationMetadata } from './operation-metadata.ts';
export { type Operation, operations } from './operations.ts';
export { ordersContract } from './orders.ts';
export { pageLimit } from './page-limit-bounds.ts';
export { maxPetId, NewPet, Pet, PetStatus, Pets } from './pet.ts';
export { ListPetsQuery } from './pet-parameters.ts';
export { isPetStatus, petStatuses } from './pet-status.ts';
export { type PlanName, planNames, plans, type Quota } from './plan.ts';
export {
  formatRateLimit,
  parseRateLimit,
  type RateLimit,
  type RateLimitWindow,
  rateLimitHeaders,
  type WindowName,
  windowSeconds,
} from './rate-limit.ts';
export {
  QuotaWindow,
  RateLimitStatus,
  rateLimitStatusContract,
  rateLimitStatusPerMinute,
} from './rate-limit-status.ts';
export {
  apiVersion,
  type OperationName,
  rateLimitStatusRoutes,
  routes,
} from './routes.ts';
export { type Scope, scopeNames, scopes } from './scope.ts';
