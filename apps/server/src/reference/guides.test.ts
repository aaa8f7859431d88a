import { defaultBanPolicy } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { createGuides, type GuideNumbers } from './guides.ts';

const numbers: GuideNumbers = {
  addressPerMinute: 60,
  banPolicy: defaultBanPolicy,
};
const guides = (changed: Partial<GuideNumbers> = {}) =>
  createGuides('https://api.animal-store.example/v1', { ...numbers, ...changed });

test('the guides show the settings of the service', () => {
  expect(guides()).toContain('against your address, which may send 60 such requests a minute');
  expect(guides()).toContain(
    'more than 50 % of its limit per minute (and more than 10) refused requests within 1 minute, not counting those within 1 second of the first, ban it for 5 minutes. Each further ban within 24 hours lasts twice as long, up to 1 hour.',
  );

  const others = guides({
    addressPerMinute: 1_200,
    banPolicy: { ...numbers.banPolicy, graceMs: 0, minStrikes: 3, banSeconds: 90 },
  });
  expect(others).toContain('which may send 1,200 such requests a minute');
  expect(others).toContain(
    '(and more than 3) refused requests within 1 minute ban it for 90 seconds.',
  );
});

test('without bans, no guide mentions them', () => {
  const text = guides({ banPolicy: { ...numbers.banPolicy, minStrikes: 0 } });
  expect(text).not.toContain('**Bans.**');
  expect(text).toContain('# Pagination');
});
