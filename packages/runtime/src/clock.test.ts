import { expect, test, vi } from 'vitest';
import { sleep } from './clock.ts';

// Regression: the limit of started requests computed the time until the next start. If this time had
// just passed, Node printed a TimeoutNegativeWarning between the lines of the log.
test('systemClock runs a timer whose time has already passed, without a warning of Node', async () => {
  using warn = vi.spyOn(process, 'emitWarning');
  await sleep(-0.01);
  expect(warn).not.toHaveBeenCalled();
});
