/** As much of the header fields of a response as the client reads: `Headers` of any `fetch`. */
export interface HttpHeaders {
  /** Gives the value of a field, or `null`. */
  get(name: string): string | null;
  /** Goes through all fields. */
  forEach(callback: (value: string, name: string) => void): void;
}
