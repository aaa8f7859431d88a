import { configureTests } from '@animal-store/testkit/configure-tests';

// Stryker, the mutation tester, stores its copies of the tests in `.stryker`.
export default configureTests('contract', { exclude: ['.stryker/**'] });
