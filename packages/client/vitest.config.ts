import { configureTests } from '@animal-store/testkit/configure-tests';

// Stryker, the mutation tester, stores its copies of the tests in `.stryker`.
const setupFiles = 'test/remove-fakes.ts';
export default configureTests('client', { exclude: ['.stryker/**'], setupFiles });
