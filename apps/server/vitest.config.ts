import { configureTests } from '@animal-store/testkit/configure-tests';
import { serviceOptions } from './test/support/vitest-options.ts';

export default configureTests('server', serviceOptions);
