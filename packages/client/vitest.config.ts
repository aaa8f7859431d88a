import { configureTests } from '@animal-store/testkit/configure-tests';

// Stryker keeps its copies of the tests in `.stryker`.
const setupFiles = 'test/put-back.ts';
export default configureTests('client', { exclude: ['.stryker/**'], setupFiles });
