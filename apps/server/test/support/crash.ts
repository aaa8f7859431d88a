/**
 * Makes the process fail with an unhandled rejection when it receives SIGUSR2. A server loads the
 * module with `NODE_OPTIONS=--import=file:///…/crash.ts`.
 */
process.on('SIGUSR2', () => {
  const failure = new TypeError('nobody expected this of ast_0123456789abcdef');
  Promise.reject(Object.assign(failure, { parameters: ['a parameter of a statement'] }));
});
