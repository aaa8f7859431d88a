/** Why the service cannot start, as a message for the operator, which is shown without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
