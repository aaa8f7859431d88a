// TypeScript must be able to name the inferred type of a test service. So this file exports every
// type that a test service contains.
export type { ErrorCode, Int64, NewPet, Pet, PetStatus } from '@animal-store/contract';
export type { HttpHeaders } from '../http-headers.ts';
export type { FetchFunction, FetchInit, HttpResponse } from '../http-response.ts';
export {
  createTestService,
  type TestFailure,
  type TestService,
  type TestServiceOptions,
} from './create-test-service.ts';
export type { TestRequest } from './test-message.ts';
