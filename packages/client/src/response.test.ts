import { describe, expect, test } from 'vitest';
import { createRedact } from './redact.ts';
import { readError } from './response.ts';

const redact = createRedact('ast_key_of_a_test');

function message(status: number, { type = 'basic', statusText = '' } = {}) {
  const response = Object.defineProperties(new Response(null, { statusText }), {
    status: { value: status },
    type: { value: type },
  });
  return readError({ response, text: '' }, redact).message;
}

describe('an answer without a message', () => {
  test.each([
    [502, 'HTTP 502'],
    [299, 'HTTP 299'],
    [300, 'unexpected redirect (HTTP 300): is baseUrl right?'],
    [399, 'unexpected redirect (HTTP 399): is baseUrl right?'],
    [400, 'HTTP 400'],
  ])('of %i is described, though HTTP/2 has no reason phrase', (status, expected) => {
    expect(message(status)).toBe(expected);
  });

  test('is described with its reason phrase', () => {
    expect(message(502, { statusText: 'Bad Gateway' })).toBe('HTTP 502 Bad Gateway');
  });

  test('is a redirect, if a browser hides what it is', () => {
    expect(message(0, { type: 'opaqueredirect' })).toBe(
      'unexpected redirect (HTTP 0): is baseUrl right?',
    );
  });
});
