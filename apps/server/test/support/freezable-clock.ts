/**
 * Stops this process's monotonic clock at SIGUSR2, so that nothing expires any more. For
 * `NODE_OPTIONS=--import=file:///…/freezable-clock.ts`. Timers and the time of day go on.
 */
process.on('SIGUSR2', () => {
  const frozenAt = performance.now();
  performance.now = () => frozenAt;
  process.stderr.write('The clock is frozen.\n');
});
