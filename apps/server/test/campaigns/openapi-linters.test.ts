import { tools } from '@animal-store/heavy-tools';
import { describe, expect, test } from 'vitest';
import { documents, publicDocument } from '../conformance/open-api-documents.ts';

describe.each(documents)('the document $name', ({ name, text }) => {
  /** The orders have no success response: they respond with 501 until their format is settled. */
  const expected = (problem: object) =>
    name === publicDocument.name ? [expect.objectContaining(problem)] : [];

  test('the OpenAPI linter Spectral finds only the expected problem in the document', async () => {
    const { oas } = (await import(tools.spectralRulesets)).default;
    const problems = await runSpectral(text, oas, [
      // OpenAPI 3.1 has the licence's SPDX identifier instead, and allows only one of the two.
      'license-url',
      // No contact address would be right for every deployment.
      'contact-properties',
    ]);
    expect(problems).toEqual(expected({ code: 'operation-success-response' }));
  });
});

test('the OWASP rules of Spectral find only the expected warning in the public OpenAPI document', async () => {
  // The finding is the cursor. A released parameter gets no limit, because a limit would refuse
  // values that were accepted.
  const path = ['paths', '/pets', 'get', 'parameters', '2', 'schema'];
  const cursor = { code: 'owasp:api4:2023-string-limit', path };
  expect(await warningsOf(publicDocument.text)).toEqual([expect.objectContaining(cursor)]);
});

test('the OpenAPI documents stay at version 3.1, because Spectral skips documents of version 3.2', async () => {
  const text = publicDocument.text.replace('"openapi": "3.1.1"', '"openapi": "3.2.0"');
  expect(text).not.toBe(publicDocument.text);
  expect(await warningsOf(text)).toEqual([]);
});

/** Returns the findings of the OWASP rules in a document. */
async function warningsOf(text: string): Promise<unknown> {
  const { default: owasp } = await import(tools.spectralOwasp);
  return runSpectral(text, owasp, [
    // The specification requires 64-bit integers as ids. Every key reads the same catalogue, so
    // guessing an id reveals nothing.
    'owasp:api1:2023-no-numeric-ids',
    // A released schema gets no `format` or `pattern`: generators would write another type or
    // another check, and the check for breaking changes refuses it. Texts and numbers have limits
    // instead.
    'owasp:api4:2023-integer-format',
    'owasp:api4:2023-string-restricted',
    // The format of a 64-bit integer implies its limits. Readers of JSON would round explicit ones.
    'owasp:api4:2023-integer-limit',
    // The rule requires one family of headers. Every response has two: `X-RateLimit-*` and
    // `RateLimit`.
    'owasp:api4:2023-rate-limit',
    // The rule requires `Access-Control-Allow-Origin` in the document. The allowed origins are a
    // setting, and only browsers use them.
    'owasp:api8:2023-define-cors-origin',
    // The rule requires a 400 for operations without parameters and body, where nothing can be
    // invalid.
    'owasp:api8:2023-define-error-validation',
  ]);
}

/** Returns the findings of all rules in a set except some. */
async function runSpectral(text: string, rules: object, off: string[]): Promise<unknown> {
  const { Spectral } = (await import(tools.spectral)).default;
  const spectral = new Spectral();
  spectral.setRuleset({
    extends: [[rules, 'all']],
    rules: Object.fromEntries(off.map((rule) => [rule, 'off'])),
  });
  return spectral.run(text);
}
