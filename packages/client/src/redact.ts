/**
 * The length of the shortest API key that is removed from texts. A shorter key can only be a
 * placeholder, and a text may contain it as part of an ordinary word.
 */
const minKeyLength = 8;

/**
 * How many levels deep an error is searched. For example, `cause.config.headers.authorization` has
 * three levels.
 */
const maxDepth = 4;

/**
 * A function that removes the API key from everything that becomes part of an error. Errors end up
 * in logs.
 */
export interface Redact {
  /**
   * Replaces the API key in a text, such as a response body. Some debugging proxies respond with a
   * copy of the whole request, including `Authorization`.
   */
  (text: string): string;
  /**
   * Returns the error of `fetch` unchanged, or a plain `Error` without the API key if the error
   * contains the key.
   */
  (cause: unknown): unknown;
}

export function createRedact(apiKey: string): Redact {
  function containsApiKey(value: unknown, depth: number): boolean {
    if (typeof value === 'string') return redact(value) !== value;
    const object = Object(value);
    const inherited = (name: string) => (Object.hasOwn(object, name) ? undefined : object[name]);
    // The search reads no getters, because getters may have side effects. The only exception is
    // `stack`, which is a getter in recent engines.
    //
    // `Request` and `Headers` store their data in private fields. They are recognized by their
    // methods, because jsdom has no `Request`, and happy-dom has its own classes.
    const members = [
      ...Reflect.ownKeys(object).map((key) => Reflect.getOwnPropertyDescriptor(object, key)?.value),
      value instanceof Error && value.stack,
      inherited('headers'),
    ];
    if (!Array.isArray(object) && typeof inherited('forEach') === 'function') {
      object.forEach((member: unknown) => {
        members.push(member);
      });
    }
    return (
      depth <= maxDepth && members.some((member: unknown) => containsApiKey(member, depth + 1))
    );
  }

  function redact(text: string): string;
  function redact(cause: unknown): unknown;
  function redact(value: unknown): unknown {
    if (typeof value === 'string')
      return apiKey.length < minKeyLength ? value : value.replaceAll(apiKey, '[API key]');
    try {
      if (!containsApiKey(value, 0)) return value;
      const { message = String(value), stack = '' } = value as Partial<Error>;
      return Object.assign(new Error(redact(message)), { stack: redact(stack) });
    } catch {
      // A value in an error may be a proxy that throws when it is read, or an object without a
      // string form. If this function threw an exception, the call would stay pending forever.
      return new Error('unreadable error');
    }
  }
  return redact;
}
