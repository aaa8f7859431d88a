/**
 * Returns the text of an error for people. Node's error for a host with several addresses has an
 * empty message, and its `errors` say why each address failed. Equal reasons are listed once.
 *
 * The message of a cause is used only if the error has no message. The message of a cause may
 * contain data of callers, such as the parameters of a statement.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, name, cause } = error;
  const reasons = error instanceof AggregateError ? error.errors.map(errorText) : [];
  const text = [...new Set([message, ...reasons])].filter((part) => part !== '').join('; ');
  if (text !== '') return text;
  return cause === undefined ? name : errorText(cause);
}
