import { configureTests } from '../../vitest.shared.ts';

// `.stryker` is where Stryker keeps its copies of the tests.
export default configureTests('admin-contract', { exclude: ['.stryker/**'] });
