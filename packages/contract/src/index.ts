export type { BanPolicy } from './ban-policy.ts';
export { contract } from './contract.ts';
export { ErrorBody, type ErrorCode, errorStatus, maxMessageBytes } from './error.ts';
export {
  type Int64,
  int64Max,
  int64Min,
  normalizeInt64,
  parseInt64,
  parseJson,
  stringifyJson,
} from './int64.ts';
export { findLink, formatLinks, type WebLink } from './link.ts';
export { nameLength } from './name.ts';
export { pageLimit } from './page-limit.ts';
export {
  ListPetsQuery,
  maxPetId,
  NewPet,
  Pet,
  PetStatus,
  Pets,
} from './pet.ts';
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
export { apiVersion, deprecations, type OperationName, routes } from './routes.ts';
