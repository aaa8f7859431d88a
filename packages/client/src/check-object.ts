/**
 * Returns the values, and refuses invalid values from untyped callers: a value that is not an
 * object, or `null` as a member.
 *
 * @throws {TypeError} that names the value.
 */
export function checkObject<T extends object>(what: string, values: T): T {
  if (Object(values) !== values) throw new TypeError(`${what}: expected an object`);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) throw new TypeError(`${name}: expected a value, not null`);
  }
  return values;
}
