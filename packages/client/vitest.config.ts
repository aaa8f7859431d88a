import { configureTests } from '@animal-store/testkit/configure-tests';

// Stryker, the mutation tester, stores copies of the tests in `.stryker`. vitest must not run these
// copies.
const setupFiles = 'test/remove-fakes.ts';
export default configureTests('client', { exclude: ['.stryker/**'], setupFiles });
