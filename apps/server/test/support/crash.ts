/**
 * Makes this process fail, where nobody looks, when it gets SIGUSR2: by an exception, or with
 * `?by=rejection` by a promise. `NODE_OPTIONS=--import=file:///…/crash.ts?by=rejection`.
 */
const by = new URL(import.meta.url).searchParams.get('by');

process.on('SIGUSR2', () => {
  const failure = Object.assign(new TypeError('nobody expected this of ast_0123456789abcdef'), {
    parameters: ['a parameter of a statement'],
  });
  if (by === 'rejection') Promise.reject(failure);
  else throw failure;
});
