import { describe, expect, test } from 'vitest';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import { minuteMs, outcomes, type QuotaSubject, seconds, small } from './quota-subject.ts';

/** The quota of requests without a valid key. */
export function describeNetworks(subject: QuotaSubject): void {
  describe('networks', () => {
    test('a network without a key has its own limit, in one window', async () => {
      const decisions: QuotaDecision[] = [];
      for (let i = 0; i < 61; i += 1) decisions.push(await subject.takeFrom('192.0.2.1'));
      expect(decisions[0]).toMatchObject({
        outcome: 'admitted',
        reported: {
          name: 'minute',
          limit: 60,
          remaining: 59,
          resetAt: seconds(subject.startedAt + minuteMs),
        },
        windows: [
          expect.objectContaining({ name: 'minute', limit: 60, remaining: 59, resetInSeconds: 60 }),
        ],
        retryAfterSeconds: 0,
        warned: false,
      });
      expect(outcomes(decisions).at(59)).toBe('admitted');
      expect(decisions.at(60)).toMatchObject({
        outcome: 'denied',
        reported: { remaining: 0 },
        retryAfterSeconds: 60,
      });
      expect(await subject.takeFrom('192.0.2.2')).toMatchObject({
        outcome: 'admitted',
      });
      await subject.advance(minuteMs);
      expect(await subject.takeFrom('192.0.2.1')).toMatchObject({
        outcome: 'admitted',
      });
    });

    test('looking counts nothing', async () => {
      await subject.takeFrom('192.0.2.1');
      const looks = [
        subject.quotas.networks.peek('192.0.2.1'),
        subject.quotas.networks.peek('192.0.2.1'),
      ];
      expect(looks.map(({ reported }) => reported.remaining)).toEqual([59, 59]);
      expect(subject.quotas.networks.peek('192.0.2.9').reported).toMatchObject({
        limit: 60,
        remaining: 60,
        resetInSeconds: 60,
      });
    });

    test('a key and a network of the same name do not share', async () => {
      await subject.take({ ...small, id: '192.0.2.1' }, 3);
      expect((await subject.takeFrom('192.0.2.1')).reported.remaining).toBe(59);
    });
  });
}
