import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, test } from 'vitest';
import { committedDocuments, readCommitted, textOf } from './committed-openapi.ts';

describe.each(committedDocuments)('$name', (document) => {
  const { name, errorCodes } = document;

  test('is what the contract says now', () => {
    expect(
      readCommitted(document) === textOf(document),
      `${name} is stale. Renew it and look at the difference: pnpm --filter @animal-store/contract run openapi`,
    ).toBe(true);
  });

  test('shows errors by codes that there are, each with its status', () => {
    const found: [string, unknown][] = [];
    JSON.parse(readCommitted(document), (_name, value) => {
      if (typeof value?.code === 'string') found.push([value.code, value.status]);
      return value;
    });
    expect(found.length).toBeGreaterThan(10);
    expect(found).toEqual(found.map(([code]) => [code, errorCodes[String(code)]?.status]));
  });

  test('Redocly finds nothing, by its strictest rules', async () => {
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
        // There is no address yet that would be true everywhere.
        'contact-properties': 'off',
      },
    });
    const problems = await spectral.run(readCommitted(document));
    expect(problems.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
  });
});
