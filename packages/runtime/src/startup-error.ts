/**
 * The reason why the service cannot start. The message is for the operator, and is shown without a
 * stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
