import { configureTests } from '../../vitest.shared.ts';

/** `npm run bench:check` runs them. They start servers, so they have the time limits of all tests. */
export default configureTests('bench');
