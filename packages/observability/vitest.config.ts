import { configureTests } from '@animal-store/testkit/configure-tests';

export default configureTests('observability');
