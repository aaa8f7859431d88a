/**
 * Returns the given object unchanged, if the object and its properties are valid. Untyped callers
 * may pass a value that is not an object, or `null` as a property.
 *
 * @throws {TypeError} that names the invalid value.
 */
export function checkObject<T extends object>(what: string, values: T): T {
  if (Object(values) !== values) throw new TypeError(`${what}: expected an object`);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) throw new TypeError(`${name}: expected a value, not null`);
  }
  return values;
}
