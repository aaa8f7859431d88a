import { maxWorkers } from '../../vitest.shared.ts';

export default {
  test: {
    name: 'testkit',
    maxWorkers,
    // Starting real servers on a busy machine takes what it takes; what hangs fails all the same.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
};
