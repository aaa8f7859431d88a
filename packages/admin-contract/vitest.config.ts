import { configureTests } from '@animal-store/testkit/configure-tests';

// Stryker, the mutation tester, stores copies of the tests in `.stryker`. vitest must not run these
// copies.
export default configureTests('admin-contract', { exclude: ['.stryker/**'] });
