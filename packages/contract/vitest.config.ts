import { configureTests } from '@animal-store/testkit/configure-tests';

// `.stryker` is where Stryker keeps its copies of the tests.
export default configureTests('contract', { exclude: ['.stryker/**'] });
