import { describe, expect, test } from 'vitest';
import { createRedact } from './redact.ts';
import { readBody } from './response.ts';

const redact = createRedact('ast_key_of_a_test');

function read(status: number, { statusText = '' } = {}) {
  const response = Object.defineProperties(new Response(null, { statusText }), {
    status: { value: status },
    ok: { value: false },
  });
  const call = {
    operation: 'listPets',
    method: 'GET',
    url: 'https://store.example/v1/pets',
    attempts: 1,
  };
  return () => readBody({ response, text: '' }, undefined, { redact, call });
}

describe('an answer without a message', () => {
  test.each([
    [502, 'listPets: failed (HTTP 502)'],
    [300, 'listPets: redirect: is baseUrl right? (HTTP 300)'],
    [399, 'listPets: redirect: is baseUrl right? (HTTP 399)'],
    [400, 'listPets: failed (HTTP 400)'],
  ])('of %i is described, though HTTP/2 has no reason phrase', (status, expected) => {
    expect(read(status)).toThrow(expect.objectContaining({ message: expected }));
  });

  test('is described with its reason phrase', () => {
    expect(read(502, { statusText: 'Bad Gateway' })).toThrow(
      expect.objectContaining({ message: 'listPets: Bad Gateway (HTTP 502)' }),
    );
  });

  test('is a redirect, if a browser hides what it is', () => {
    expect(read(0)).toThrow(
      expect.objectContaining({
        message: 'listPets: redirect: is baseUrl right? (HTTP 0)',
      }),
    );
  });
});
