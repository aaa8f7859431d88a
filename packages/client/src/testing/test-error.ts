/** An error response, with the same code and message as the service sends. */
export class TestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/**
 * Creates the error with status 400 for invalid fields. Its message contains the expected and the
 * received value of each field.
 */
export function invalidRequest(
  faults: Record<string, [expected: string, value: unknown]>,
): TestError {
  const texts = Object.entries(faults).map(
    ([name, [expected, value]]) => `${name}: expected ${expected}, got ${show(value)}`,
  );
  return new TestError(400, 'invalid_request', texts.join('; '));
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  // Invisible characters are shown as escape sequences. Joiners stay unchanged, because they are
  // part of emoji.
  const text =
    typeof value === 'string'
      ? JSON.stringify(value).replaceAll(
          /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
          (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
      : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
