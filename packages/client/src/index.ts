export type {
  ErrorCode,
  Int64,
  ListPetsQuery,
  NewPet,
  OperationName,
  Pet,
  PetStatus,
  QuotaWindow,
  RateLimitStatus,
} from '@animal-store/contract';
export { isPetStatus, parseJson, petStatuses, stringifyJson } from '@animal-store/contract';
export type { ApiKey } from './api-key-source.ts';
export type { Call, Result } from './call-promise.ts';
export { type AnimalStoreClient, type CreatePetOptions, createClient } from './client.ts';
export type { ClientOptions, Hook, Logger } from './client-options.ts';
export type { Page, PetList, ToArrayOptions } from './each-pet.ts';
export { AbortError } from './errors/abort-error.ts';
export { AnimalStoreError, type CallDetails } from './errors/animal-store-error.ts';
export { ApiError, type ApiErrorDetails } from './errors/api-error.ts';
export { AuthenticationError } from './errors/authentication-error.ts';
export { BadRequestError } from './errors/bad-request-error.ts';
export { ConflictError } from './errors/conflict-error.ts';
export { ConnectionError } from './errors/connection-error.ts';
export { InsufficientScopeError } from './errors/insufficient-scope-error.ts';
export {
  type AnyAnimalStoreError,
  type ApiErrorByStatus,
  isAnimalStoreError,
  isApiError,
} from './errors/is-animal-store-error.ts';
export { KeySuspendedError } from './errors/key-suspended-error.ts';
export { NotFoundError } from './errors/not-found-error.ts';
export { RateLimitError } from './errors/rate-limit-error.ts';
export { ServerError } from './errors/server-error.ts';
export { TimeoutError } from './errors/timeout-error.ts';
export { UnprocessableError } from './errors/unprocessable-error.ts';
export type {
  CallEvent,
  DeprecationEvent,
  ErrorEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from './events.ts';
export type { HttpHeaders } from './http-headers.ts';
export type { FetchFunction, FetchInit, HttpResponse } from './http-response.ts';
export type { RateLimitState } from './read-rate-limit.ts';
export type { CallOptions, FetchOptions, HeaderFields, RequestDescription } from './request.ts';
export { version } from './version.ts';
