import { tools } from '@animal-store/heavy-tools';
import { describe, expect, test } from 'vitest';
import { documents, publicDocument } from '../conformance/open-api-documents.ts';

describe.each(documents)('$name', ({ name, text }) => {
  /** The orders have no success: they answer 501 until their shape is settled. */
  const expected = (problem: object) =>
    name === publicDocument.name ? [expect.objectContaining(problem)] : [];

  test('Spectral finds nothing', async () => {
    const { oas } = (await import(tools.spectralRulesets)).default;
    const problems = await runSpectral(text, oas, [
      // OpenAPI 3.1 has the licence's SPDX identifier instead, and allows one of the two.
      'license-url',
      // No contact address would be true for every deployment.
      'contact-properties',
    ]);
    expect(problems).toEqual(expected({ code: 'operation-success-response' }));
  });
});

test('Spectral finds nothing that OWASP warns of in the public document', async () => {
  // The cursor. A released parameter gets no bound: it would refuse what was accepted.
  const path = ['paths', '/pets', 'get', 'parameters', '2', 'schema'];
  const cursor = { code: 'owasp:api4:2023-string-limit', path };
  expect(await warningsOf(publicDocument.text)).toEqual([expect.objectContaining(cursor)]);
});

test('Spectral skips documents of OpenAPI 3.2, which is why the document stays at 3.1', async () => {
  const text = publicDocument.text.replace('"openapi": "3.1.1"', '"openapi": "3.2.0"');
  expect(text).not.toBe(publicDocument.text);
  expect(await warningsOf(text)).toEqual([]);
});

/** What the rules of OWASP find in a document. */
async function warningsOf(text: string): Promise<unknown> {
  const { default: owasp } = await import(tools.spectralOwasp);
  return runSpectral(text, owasp, [
    // The specification says that ids are 64-bit integers. Every key reads the same catalogue, so there is
    // nothing to gain by guessing one.
    'owasp:api1:2023-no-numeric-ids',
    // A released schema gets no `format` or `pattern`: generators would write another type or another check,
    // and the check on breaking changes refuses it. Texts and numbers have bounds instead.
    'owasp:api4:2023-integer-format',
    'owasp:api4:2023-string-restricted',
    // A 64-bit integer has its bounds in its format. Written out, readers of JSON round them to others.
    'owasp:api4:2023-integer-limit',
    // It wants one family of headers. Every response has two: `X-RateLimit-*` and `RateLimit`.
    'owasp:api4:2023-rate-limit',
    // It wants `Access-Control-Allow-Origin` in the document. Which origins are allowed is a setting, and
    // browsers deal with it.
    'owasp:api8:2023-define-cors-origin',
    // It wants a 400 of operations that have no parameter and no body, so nothing that can be invalid.
    'owasp:api8:2023-define-error-validation',
  ]);
}

/** What all rules of a set but some find. */
async function runSpectral(text: string, rules: object, off: string[]): Promise<unknown> {
  const { Spectral } = (await import(tools.spectral)).default;
  const spectral = new Spectral();
  spectral.setRuleset({
    extends: [[rules, 'all']],
    rules: Object.fromEntries(off.map((rule) => [rule, 'off'])),
  });
  return spectral.run(text);
}
