import { afterEach, vi } from 'vitest';

// A worker runs several files, so fakes must end with the test.
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
