import { configureTests } from '../../vitest.shared.ts';

// `.stryker` is where Stryker keeps its copies of the tests.
const setupFiles = 'test/put-back.ts';
export default configureTests('client', { exclude: ['.stryker/**'], setupFiles });
