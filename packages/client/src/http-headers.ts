/**
 * The part of a response's header fields that the client uses. The `Headers` of every `fetch`
 * implementation has these methods.
 */
export interface HttpHeaders {
  /** Returns the value of a field, or `null` if the response does not have the field. */
  get(name: string): string | null;
  /** Calls the given function with the value and the name of each field. */
  forEach(callback: (value: string, name: string) => void): void;
}
