import { tools } from '@animal-store/heavy-tools';
import { describe, expect, test } from 'vitest';
import { documents, publicDocument } from '../conformance/open-api-documents.ts';

describe.each(documents)('OpenAPI document $name', ({ name, text }) => {
  /**
   * Returns the expected problem of a document. Only the public document has one: the operation for
   * orders has no success response, because it returns 501 until its format is settled.
   */
  const expected = (problem: object) =>
    name === publicDocument.name ? [expect.objectContaining(problem)] : [];

  test('the linter Spectral finds no problem in the document except the expected one', async () => {
    const { oas } = (await import(tools.spectralRulesets)).default;
    const problems = await runSpectral(text, oas, [
      // This rule of the linter is off, because it requires the URL of the license. OpenAPI 3.1
      // allows either the URL or an SPDX identifier, and the documents have the identifier.
      'license-url',
      // This rule of the linter is off, because it requires a contact address. No address would be
      // right for every deployment.
      'contact-properties',
    ]);
    expect(problems).toEqual(expected({ code: 'operation-success-response' }));
  });
});

test('the OWASP rules of Spectral find no problem in the public OpenAPI document except the expected one', async () => {
  // The warning says that the parameter `cursor` has no maximum length. A released parameter gets
  // no limit, because a limit would refuse values that were accepted before.
  const path = ['paths', '/pets', 'get', 'parameters', '2', 'schema'];
  const cursor = { code: 'owasp:api4:2023-string-limit', path };
  expect(await warningsOf(publicDocument.text)).toEqual([expect.objectContaining(cursor)]);
});

test('the OpenAPI documents stay at version 3.1, because Spectral skips documents of version 3.2', async () => {
  const text = publicDocument.text.replace('"openapi": "3.1.1"', '"openapi": "3.2.0"');
  expect(text).not.toBe(publicDocument.text);
  expect(await warningsOf(text)).toEqual([]);
});

/** Returns the warnings of the OWASP rules for a document. */
async function warningsOf(text: string): Promise<unknown> {
  const { default: owasp } = await import(tools.spectralOwasp);
  return runSpectral(text, owasp, [
    // This rule of the linter is off, because the specification of the service requires 64-bit
    // integers as ids. All API keys read the same animals, so guessing an id reveals nothing.
    'owasp:api1:2023-no-numeric-ids',
    // These two rules of the linter are off, because a released schema gets no new `format` or
    // `pattern`. Generators would create other types or checks, and the check for breaking changes
    // would refuse the change. Texts and numbers have limits instead.
    'owasp:api4:2023-integer-format',
    'owasp:api4:2023-string-restricted',
    // This rule of the linter is off, because the format of a 64-bit integer implies its limits.
    // Many JSON parsers would round explicit limits.
    'owasp:api4:2023-integer-limit',
    // This rule of the linter is off, because it requires one set of rate-limit headers. Every
    // response has two: `X-RateLimit-*` and `RateLimit`.
    'owasp:api4:2023-rate-limit',
    // This rule of the linter is off, because it requires `Access-Control-Allow-Origin` in the
    // document. The allowed origins are a setting of each deployment, and only browsers use the
    // header.
    'owasp:api8:2023-define-cors-origin',
    // This rule of the linter is off, because it requires a 400 response for all operations.
    // Operations without parameters and body have no input that could be invalid.
    'owasp:api8:2023-define-error-validation',
  ]);
}

/** Returns the problems that Spectral finds with a set of rules. Rules in `off` are not checked. */
async function runSpectral(text: string, rules: object, off: string[]): Promise<unknown> {
  const { Spectral } = (await import(tools.spectral)).default;
  const spectral = new Spectral();
  spectral.setRuleset({
    extends: [[rules, 'all']],
    rules: Object.fromEntries(off.map((rule) => [rule, 'off'])),
  });
  return spectral.run(text);
}
