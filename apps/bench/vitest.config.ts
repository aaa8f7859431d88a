import { configureTests } from '../../packages/testkit/src/configure-tests.ts';

/**
 * `npm run bench:check` runs these tests. They start servers, so they have the timeouts of all
 * tests.
 */
export default configureTests('bench');
