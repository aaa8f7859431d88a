import { configureTests, serviceOptions } from '../../vitest.shared.ts';

export default configureTests('server', serviceOptions);
