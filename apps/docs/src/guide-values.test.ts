import { defaultBanPolicy } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { createGuideValues } from './guide-values.ts';
import { readGuide } from './guides.ts';

function write(name: Parameters<typeof readGuide>[0], changed: Partial<typeof defaultBanPolicy>) {
  const banPolicy = { ...defaultBanPolicy, ...changed };
  const numbers = { addressPerMinute: 1_200, banPolicy };
  const files = { windowsPicture: '/docs/windows.svg' };
  return createGuideValues('https://api.animal-store.example/v1', numbers, files)(readGuide(name));
}

test('createGuideValues replaces the placeholders in a guide by the settings of the service', () => {
  expect(write('authentication', {})).toContain('your IP address, 1,200 requests a minute');
  expect(write('limits', {})).toContain(
    "A key is banned when more than 10 of its requests are denied within 1 minute. The number of denied requests must also be above 50 % of the key's limit per minute. Requests within 1 second after the first denial do not count. The first ban lasts 5 minutes. Each further ban within 24 hours lasts twice as long, up to 1 hour.",
  );
  expect(write('limits', { graceMs: 0, minStrikes: 3, banSeconds: 90 })).toContain(
    "more than 3 of its requests are denied within 1 minute. The number of denied requests must also be above 50 % of the key's limit per minute. The first ban lasts 90 seconds. Each",
  );
});

test('the guide to errors lists every error with a Retry-After header as an error to retry', () => {
  const [row = ''] = /^.*\| yes, after `Retry-After`.*$/m.exec(write('errors', {})) ?? [];
  expect([...row.matchAll(/(\d{3}) \[`(\w+)`\]/g)].map(([, ...found]) => found.join(' '))).toEqual([
    '409 idempotency_in_progress',
    '429 rate_limit_exceeded',
    '429 key_temporarily_banned',
    '503 service_unavailable',
  ]);
});

test('the guide to limits has no chapter on bans when the service does not ban', () => {
  const text = write('limits', { minStrikes: 0 });
  expect(text).not.toContain('## Bans');
  expect(text).toContain('## After a 429');
});
