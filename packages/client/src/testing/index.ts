export {
  createTestService,
  type TestFailure,
  type TestService,
  type TestServiceOptions,
} from './create-test-service.ts';
export type { TestRequest } from './test-message.ts';
