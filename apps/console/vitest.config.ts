import { configureTests } from '../../vitest.shared.ts';

// A second worker would take longer to load than it saves.
export default configureTests('console', { maxWorkers: 1 });
