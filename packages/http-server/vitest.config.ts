import { configureTests } from '@animal-store/testkit/configure-tests';

export default configureTests('http-server', { exclude: ['.stryker/**'] });
