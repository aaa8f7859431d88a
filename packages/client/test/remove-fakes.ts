import { afterEach, vi } from 'vitest';

// Several test files run in one worker, so each test must remove its fakes.
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
