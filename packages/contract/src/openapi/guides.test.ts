import { expect, test } from 'vitest';
import { createGuides, type GuideNumbers } from './guides.ts';

const numbers: GuideNumbers = {
  addressPerMinute: 60,
  banPolicy: {
    graceMs: 1_000,
    minStrikes: 10,
    strikeShare: 0.5,
    strikeWindowSeconds: 60,
    banSeconds: 300,
    maxBanSeconds: 3_600,
    memorySeconds: 86_400,
  },
};
const guides = (changed: Partial<GuideNumbers> = {}) =>
  createGuides('https://api.animal-store.example/v1', { ...numbers, ...changed });

test('the guides tell what the service was set to', () => {
  expect(guides()).toContain('against your address: 60 a minute');
  expect(guides()).toContain(
    'more than 50 % of its limit of a minute (and more than 10) refused requests within 1 minute, not counting those within 1 second of the first, ban it for 5 minutes. Each further ban within 24 hours lasts twice as long, up to 1 hour.',
  );

  const others = guides({
    addressPerMinute: 1_200,
    banPolicy: { ...numbers.banPolicy, graceMs: 0, minStrikes: 3, banSeconds: 90 },
  });
  expect(others).toContain('against your address: 1,200 a minute');
  expect(others).toContain(
    '(and more than 3) refused requests within 1 minute ban it for 90 seconds.',
  );
});

test('where there are no bans, no guide tells of them', () => {
  const text = guides({ banPolicy: { ...numbers.banPolicy, minStrikes: 0 } });
  expect(text).not.toContain('**Bans.**');
  expect(text).toContain('# Pagination');
});
