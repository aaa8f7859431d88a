import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import { openApiText, readCommitted } from './committed-openapi.ts';

test('the committed openapi.json is what the contract says now', () => {
  expect(
    readCommitted() === openApiText(),
    'openapi.json is stale. Renew it and look at the difference: pnpm --filter @animal-store/contract run openapi',
  ).toBe(true);
});

test('Redocly finds nothing, by its strictest rules', async () => {
  const problems = await lintFromString({
    source: readCommitted(),
    absoluteRef: 'openapi.json',
    config: await createConfig({ extends: ['recommended-strict'] }),
  });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location])).toEqual([]);
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
  const problems = await spectral.run(readCommitted());
  expect(problems.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
});
