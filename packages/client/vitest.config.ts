import { configureTests } from '@animal-store/testkit/configure-tests';

// `.stryker` is where Stryker keeps its copies of the tests.
const setupFiles = 'test/put-back.ts';
export default configureTests('client', { exclude: ['.stryker/**'], setupFiles });
