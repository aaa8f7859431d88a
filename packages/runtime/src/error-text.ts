/**
 * Returns the text of an error for people. Node's error for a host with several addresses has an
 * empty message, and its `errors` say why each address failed. Equal reasons are listed once.
 *
 * The message of a cause is used only if the error has no message. The message of a cause may
 * contain data of callers, such as the parameters of a statement.
 */
export function errorText(error: unknown): string {
  return textOf(error, new Set());
}

/** @param seen the errors that contain this one. An error may be its own cause. */
function textOf(error: unknown, seen: ReadonlySet<unknown>): string {
  if (!(error instanceof Error)) return String(error);
  if (seen.has(error)) return error.name;
  const { message, name, cause } = error;
  const outer = new Set([...seen, error]);
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [];
  const reasons = errors.map((each) => textOf(each, outer));
  const text = [...new Set([message, ...reasons])].filter((part) => part !== '').join('; ');
  if (text !== '') return text;
  return cause === undefined ? name : textOf(cause, outer);
}
