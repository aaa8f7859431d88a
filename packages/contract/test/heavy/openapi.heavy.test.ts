import { tools } from '@animal-store/heavy-tools';
import { describe, expect, test } from 'vitest';
import { committedDocuments, readCommitted } from '../committed-openapi.ts';

describe.each(committedDocuments)('$name', (document) => {
  test('Redocly finds nothing with its strictest rules', async () => {
    const { createConfig, lintFromString } = await import(tools.redocly);
    const problems: unknown = await lintFromString({
      source: readCommitted(document),
      absoluteRef: document.name,
      config: await createConfig({ extends: ['recommended-strict'] }),
    });
    expect(problems).toEqual([]);
  });

  test('Spectral finds nothing', async () => {
    const { Spectral } = (await import(tools.spectral)).default;
    const { oas } = (await import(tools.spectralRulesets)).default;
    const spectral = new Spectral();
    spectral.setRuleset({
      extends: [[oas, 'all']],
      rules: {
        // OpenAPI 3.1 has the licence's SPDX identifier instead, and allows one of the two.
        'license-url': 'off',
        // No contact address would be true for every deployment.
        'contact-properties': 'off',
      },
    });
    const problems: unknown = await spectral.run(readCommitted(document));
    expect(problems).toEqual([]);
  });
});
