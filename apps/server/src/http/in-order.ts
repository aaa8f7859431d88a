import type { RequestHandler } from 'express';

/**
 * Combines middlewares into one. They run in order, as if each had been given to `app.use`.
 *
 * Express's router compares the path, and saves and restores the URL, before each middleware. Five
 * that all want every request need that once.
 */
export function inOrder(...steps: readonly RequestHandler[]): RequestHandler {
  return function runInOrder(req, res, done) {
    // Like Express 5: what a middleware throws or rejects with is a failure, whatever it is.
    const fail = (reason: unknown) => done(reason ?? new Error('A middleware failed.'));

    function runFrom(index: number): void {
      const step = steps[index];
      if (step === undefined) {
        done();
        return;
      }
      try {
        const returned: unknown = step(req, res, (reason) => {
          if (reason === undefined) runFrom(index + 1);
          else done(reason);
        });
        if (returned instanceof Promise) returned.catch(fail);
      } catch (reason) {
        fail(reason);
      }
    }
    runFrom(0);
  };
}
