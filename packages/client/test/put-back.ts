import { afterEach, vi } from 'vitest';

// A worker runs file after file, so whatever a test fakes ends with it.
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
