import { configureTests } from '../../packages/testkit/src/configure-tests.ts';

/**
 * The test configuration of the benchmark, for `npm run bench:check`. The benchmark's tests have
 * the same timeouts as other tests, because they start servers.
 */
export default configureTests('bench');
