import { configureTests } from '../../packages/testkit/src/configure-tests.ts';

/** `npm run bench:check` runs them. They start servers, so they have the time limits of all tests. */
export default configureTests('bench');
