/** Why a command failed, in words for the operator: shown as they are, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
