import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, test } from 'vitest';
import { committedDocuments, readCommitted, textOf } from './committed-openapi.ts';

describe.each(committedDocuments)('$name', (document) => {
  const { name, errorCodes } = document;

  test('is up to date', () => {
    expect(
      readCommitted(document) === textOf(document),
      `${name} is stale. Write it again and check the difference: pnpm --filter @animal-store/contract run openapi`,
    ).toBe(true);
  });

  test('its example errors have codes of the API and their statuses', () => {
    const found: [string, unknown][] = [];
    JSON.parse(readCommitted(document), (_name, value) => {
      if (typeof value?.code === 'string') found.push([value.code, value.status]);
      return value;
    });
    expect(found.length).toBeGreaterThan(10);
    expect(found).toEqual(found.map(([code]) => [code, errorCodes[String(code)]?.status]));
  });

  test('Redocly finds nothing with its strictest rules', async () => {
    const problems = await lintFromString({
      source: readCommitted(document),
      absoluteRef: name,
      config: await createConfig({ extends: ['recommended-strict'] }),
    });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location])).toEqual(
      [],
    );
  });

  test('Spectral finds nothing', async () => {
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({
      extends: [[oas as RulesetDefinition, 'all']],
      rules: {
        // OpenAPI 3.1 has the licence's SPDX identifier instead, and allows one of the two.
        'license-url': 'off',
        // No contact address would be true for every deployment.
        'contact-properties': 'off',
      },
    });
    const problems = await spectral.run(readCommitted(document));
    expect(problems.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
  });
});
