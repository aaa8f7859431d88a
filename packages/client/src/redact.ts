/** A key this short is no secret but a placeholder, and may be part of an ordinary word. */
const minKeyLength = 8;

/** How far into an error to look: `cause.config.headers.authorization` is three steps. */
const maxDepth = 4;

/** Takes the API key out of what goes into an error, and so out of every log. */
export interface Redact {
  /** Debugging proxies answer with the request, `Authorization` and all. */
  (text: string): string;
  /** Gives what a `fetch` threw, or a plain `Error` in its place if it holds the key. */
  (cause: unknown): unknown;
}

export function createRedact(apiKey: string): Redact {
  function isIn(value: unknown, depth: number): boolean {
    if (typeof value === 'string') return redact(value) !== value;
    const object = Object(value);
    const inherited = (name: string) => (Object.hasOwn(object, name) ? undefined : object[name]);
    // Without calling any getter of its own, except for the stack, which is one in recent engines. `Request`
    // and `Headers` have none of it among their own members. They are known by what they can do, because
    // jsdom has no `Request`, and happy-dom has classes of its own.
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
      // A proxy that throws, an object without a text: to fail here would leave the call without end.
      return new Error('unreadable');
    }
  }
  return redact;
}
