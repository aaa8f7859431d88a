export type {
  ErrorCode,
  Int64,
  ListPetsQuery,
  NewPet,
  OperationName,
  Pet,
  PetStatus,
} from '@animal-store/contract';
export type { Call, PageResult, Result } from './call.ts';
export { type AnimalStoreClient, type CreatePetOptions, createClient } from './client.ts';
export type { ClientOptions, FetchFunction } from './client-options.ts';
export { AbortError } from './errors/abort-error.ts';
export { AnimalStoreError } from './errors/animal-store-error.ts';
export { ApiError, type ApiErrorDetails } from './errors/api-error.ts';
export { AuthenticationError } from './errors/authentication-error.ts';
export { BadRequestError } from './errors/bad-request-error.ts';
export { ConflictError } from './errors/conflict-error.ts';
export { ConnectionError } from './errors/connection-error.ts';
export { type ApiErrorByStatus, isApiError } from './errors/is-api-error.ts';
export { NotFoundError } from './errors/not-found-error.ts';
export { RateLimitError } from './errors/rate-limit-error.ts';
export { ServerError } from './errors/server-error.ts';
export { TimeoutError } from './errors/timeout-error.ts';
export { UnprocessableError } from './errors/unprocessable-error.ts';
export type { DeprecationEvent, ResponseEvent, RetryEvent } from './events.ts';
export type { PetList, ToArrayOptions } from './pet-list.ts';
export type { RateLimitState } from './rate-limit-state.ts';
export type { RequestOptions } from './request.ts';
