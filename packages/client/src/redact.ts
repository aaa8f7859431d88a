/**
 * The shortest key that is removed. A shorter one is a placeholder, and may be part of an ordinary
 * word.
 */
const minKeyLength = 8;

/** How deep an error is searched: `cause.config.headers.authorization` is three steps. */
const maxDepth = 4;

/** Removes the API key from everything that goes into an error, and so from every log. */
export interface Redact {
  /** Debugging proxies respond with the whole request, including `Authorization`. */
  (text: string): string;
  /** Returns the error of `fetch`, or a plain `Error` instead if it contains the key. */
  (cause: unknown): unknown;
}

export function createRedact(apiKey: string): Redact {
  function isIn(value: unknown, depth: number): boolean {
    if (typeof value === 'string') return redact(value) !== value;
    const object = Object(value);
    const inherited = (name: string) => (Object.hasOwn(object, name) ? undefined : object[name]);
    // The search calls no getter, except for the stack, which is a getter in recent engines. The
    // data of `Request` and `Headers` is not in their own members. They are recognized by their
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
    return depth <= maxDepth && members.some((member: unknown) => isIn(member, depth + 1));
  }

  function redact(text: string): string;
  function redact(cause: unknown): unknown;
  function redact(value: unknown): unknown {
    if (typeof value === 'string')
      return apiKey.length < minKeyLength ? value : value.replaceAll(apiKey, '[API key]');
    try {
      if (!isIn(value, 0)) return value;
      const { message = String(value), stack = '' } = value as Partial<Error>;
      return Object.assign(new Error(redact(message)), { stack: redact(stack) });
    } catch {
      // This may be a proxy that throws, or an object without a text. An exception here would leave
      // the call pending forever.
      return new Error('unreadable');
    }
  }
  return redact;
}
