import { configureTests } from '../../packages/testkit/src/configure-tests.ts';

/**
 * The test configuration of the benchmark, for `npm run bench:check`. It uses the common timeouts,
 * because the tests start servers.
 */
export default configureTests('bench');
