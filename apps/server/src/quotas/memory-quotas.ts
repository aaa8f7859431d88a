import { type BanPolicy, rateLimitStatusPerMinute, windowSeconds } from '@animal-store/contract';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Clock } from '../shared/clock.ts';
import { createAllowance } from './allowance.ts';
import type { OnBan } from './ban-rule.ts';
import { createKeyQuotas } from './key-quotas.ts';
import { MemoryKeyLimiter } from './memory-key-limiter.ts';
import { withSpareLookUps } from './spare-look-ups.ts';

/** Creates the quotas of a service with one replica, in its memory. */
export function createMemoryQuotas(options: {
  clock: Clock;
  addressPerMinute: number;
  banPolicy: BanPolicy;
  onBan?: OnBan | undefined;
}) {
  const { clock, addressPerMinute, banPolicy, onBan } = options;
  const allowance = (perMinute: number) => createMemoryAllowance(clock, perMinute);
  const limiter = new MemoryKeyLimiter({ clock, banPolicy, onBan, scope: 'service' });
  return {
    keys: createKeyQuotas(limiter, {
      unban: async ({ id }) => limiter.unban(id),
      // Bans are kept by key here, whatever its subject is.
      moveBan: async () => {},
    }),
    networks: withSpareLookUps(allowance(addressPerMinute), clock),
    pages: allowance(addressPerMinute),
    statusRequests: allowance(rateLimitStatusPerMinute),
  };
}

function createMemoryAllowance(clock: Clock, perMinute: number) {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds.minute });
  return createAllowance({
    clock,
    limiter,
    insurance: limiter,
    isInsured: () => false,
    share: () => perMinute,
  });
}
