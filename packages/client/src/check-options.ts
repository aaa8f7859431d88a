import { checkObject } from './check-object.ts';

/**
 * The smallest value of each number among the options. A call with a timeout of 0 could never
 * succeed.
 */
const least = { timeoutMs: 1, maxRetries: 0, maxRetryAfterMs: 0 };

/**
 * Returns the options of a client or a call, and refuses invalid numbers from untyped callers, such
 * as `NaN`, `'3'` and `1.5`. `Infinity` is fine.
 *
 * @throws {TypeError} that names the option and its value.
 */
export function checkOptions<T extends { [Name in keyof typeof least]?: number | undefined }>(
  options: T,
): T {
  checkObject('options', options);
  for (const [name, min] of Object.entries(least)) {
    const value: unknown = options[name as keyof typeof least];
    if (value === undefined || value === Number.POSITIVE_INFINITY) continue;
    if (!Number.isInteger(value) || Number(value) < min) {
      throw new TypeError(`${name}: expected an integer from ${min}, got ${typeof value} ${value}`);
    }
  }
  return options;
}
