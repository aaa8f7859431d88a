/** The part of a response's header fields that the client reads: the `Headers` of any `fetch`. */
export interface HttpHeaders {
  /** Returns the value of a field, or `null`. */
  get(name: string): string | null;
  /** Iterates over all fields. */
  forEach(callback: (value: string, name: string) => void): void;
}
