import { checkObject } from './check-object.ts';

/** The smallest valid value of each numeric option. A timeout of 0 ms would fail every call. */
const least = { timeoutMs: 1, maxRetries: 0, maxRetryAfterMs: 0 };

/**
 * Returns the options of a client or a call unchanged, if they are valid. Untyped callers may pass
 * numbers such as `NaN`, `'3'` or `1.5`, which are refused. `Infinity` is valid.
 *
 * @throws {TypeError} that names the option and its value.
 */
export function checkOptions<T extends { [Name in keyof typeof least]?: number | undefined }>(
  options: T,
): T {
  checkObject('options', options);
  // Without this check, each call with a `fetch` or a hook that is not a function would fail as if
  // the connection were lost.
  for (const [name, value] of Object.entries(options)) {
    const type = /^(fetch|on[A-Z]\w*)$/.test(name)
      ? 'function'
      : /^(headers|fetchOptions|logger)$/.test(name) && 'object';
    if (type && value !== undefined && typeof value !== type)
      throw new TypeError(`${name}: expected ${type}, got ${typeof value}`);
  }
  // Users often pass an `AbortController` instead of its signal. Only `addEventListener` is
  // checked, because this client calls it, and because React Native's own signals have no
  // `throwIfAborted`.
  const { signal } = options as { signal?: unknown };
  if (signal !== undefined && typeof Object(signal).addEventListener !== 'function')
    throw new TypeError('signal: expected an AbortSignal, such as controller.signal');
  for (const [name, min] of Object.entries(least)) {
    const value: unknown = options[name as keyof typeof least];
    if (value === undefined || value === Number.POSITIVE_INFINITY) continue;
    if (!Number.isInteger(value) || Number(value) < min) {
      throw new TypeError(`${name}: expected an integer from ${min}, got ${typeof value} ${value}`);
    }
  }
  return options;
}
