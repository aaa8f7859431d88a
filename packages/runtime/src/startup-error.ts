/** Why the service cannot start, in words for the operator: shown as they are, without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
