/** A key this short is no secret but a placeholder, and may be part of an ordinary word. */
const minKeyLength = 8;

/** How far into an error to look: `cause.config.headers.authorization` is three steps. */
const maxDepth = 4;

/** Keeps the API key out of errors, and so out of every log. */
export interface Redact {
  /** Takes it out of a text: debugging proxies answer with the request, `Authorization` and all. */
  text(text: string): string;
  /** Gives what a `fetch` threw, or a plain `Error` in its place if it holds the key. */
  cause(cause: unknown): unknown;
}

export function createRedact(apiKey: string): Redact {
  function text(original: string): string {
    return apiKey.length < minKeyLength ? original : original.replaceAll(apiKey, '[API key]');
  }

  function isIn(value: unknown, depth: number): boolean {
    if (typeof value === 'string') return text(value) !== value;
    if (depth > maxDepth) return false;
    const object = Object(value);
    // Without calling any getter, except for the stack, which is one in recent engines, and for the
    // header fields, which are no properties.
    const members = [
      ...Reflect.ownKeys(object).map((key) => Reflect.getOwnPropertyDescriptor(object, key)?.value),
      value instanceof Error && value.stack,
      value instanceof Request && value.headers,
      ...(value instanceof Headers ? value : []),
    ];
    return members.some((member: unknown) => isIn(member, depth + 1));
  }

  return {
    text,
    cause(cause) {
      try {
        if (!isIn(cause, 0)) return cause;
        const { message = String(cause), stack = '' } = cause as Partial<Error>;
        return Object.assign(new Error(text(message)), { stack: text(stack) });
      } catch {
        // A proxy that throws, an object without a text: to fail here would leave the call without end.
        return new Error('unreadable');
      }
    },
  };
}
