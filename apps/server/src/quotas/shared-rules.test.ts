import * as contract from '@animal-store/contract';
import * as quotas from '@animal-store/quotas';
import { expect, expectTypeOf, test } from 'vitest';

// The contract and packages/quotas both define windows and ban policies. Neither of the two
// published packages may depend on the other, so the tests compare them.

const quota = { perMinute: 5, perDay: 9 };

test('packages/quotas and packages/contract define the same ban policy and the same quota windows', () => {
  expectTypeOf<quotas.BanPolicy>().toEqualTypeOf<contract.BanPolicy>();
  expectTypeOf<quotas.Quota>().toExtend<contract.Quota>();
  expect(quotas.defaultBanPolicy).toEqual(contract.defaultBanPolicy);
  expect(quotas.windowSeconds).toEqual(contract.windowSeconds);
});

test('packages/quotas and packages/contract format the same quota decision as the same rate-limit headers', async () => {
  const { consume } = quotas.createMemoryQuotas();
  for (let i = 0; i < 7; i += 1) {
    const decision = await consume({ id: 'a', quota });
    const { reported, windows, retryAfterSeconds } = decision;
    expect(quotas.quotaHeaders(decision)).toEqual({
      ...contract.formatRateLimit(reported, windows),
      ...(retryAfterSeconds > 0 && {
        [contract.rateLimitHeaders.retryAfter]: `${retryAfterSeconds}`,
      }),
    });
  }
});
