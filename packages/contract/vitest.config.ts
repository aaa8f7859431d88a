import { configureTests } from '@animal-store/testkit/configure-tests';

// Stryker keeps its copies of the tests in `.stryker`.
export default configureTests('contract', { exclude: ['.stryker/**'] });
