import { type BanPolicy, rateLimitStatusPerMinute, windowSeconds } from '@animal-store/contract';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createAllowance } from './allowance.ts';
import type { OnBan } from './ban-rule.ts';
import { createKeyQuotas } from './key-quotas.ts';
import { MemoryKeyLimiter } from './memory-key-limiter.ts';
import { withSpareLookUps } from './spare-look-ups.ts';

/** Creates the quotas of a service with one replica, in its memory. */
export function createMemoryQuotas(options: {
  addressPerMinute: number;
  banPolicy: BanPolicy;
  onBan?: OnBan | undefined;
}) {
  const { addressPerMinute, banPolicy, onBan } = options;
  const limiter = new MemoryKeyLimiter({ banPolicy, onBan, scope: 'service' });
  return {
    keys: createKeyQuotas(limiter, {
      unban: async ({ id }) => limiter.unban(id),
      unbanHere: (keyId) => limiter.unban(keyId),
      // Bans are kept by key here, whatever its subject is.
      moveBan: async () => {},
    }),
    networks: withSpareLookUps(createMemoryAllowance(addressPerMinute)),
    pages: createMemoryAllowance(addressPerMinute),
    statusRequests: createMemoryAllowance(rateLimitStatusPerMinute),
  };
}

function createMemoryAllowance(perMinute: number) {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds.minute });
  return createAllowance({
    limiter,
    insurance: limiter,
    isInsured: () => false,
    share: () => perMinute,
  });
}
