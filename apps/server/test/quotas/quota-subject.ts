import type { BanPolicy, Quota } from '@animal-store/contract';
import { beforeEach } from 'vitest';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';

/** The options of all quotas under test. */
export const suiteOptions: { addressPerMinute: number; banPolicy: BanPolicy } = {
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

/** Quotas under test, with a clock that stands still unless it is moved. */
export interface OpenQuotas {
  readonly quotas: Quotas;
  /** Unix time in milliseconds. */
  now(): number;
  advance(ms: number): Promise<void>;
  /** Called before each request of a network. */
  beforeNetwork?(): Promise<void>;
}

type TestKey = { readonly id: string; readonly quota: Quota };

/** The quotas of the current test. */
export interface QuotaSubject extends OpenQuotas {
  /** When the test began, in Unix time in milliseconds. */
  readonly startedAt: number;
  /** Takes requests for a key one after another. */
  take(key: TestKey, times?: number): Promise<QuotaDecision[]>;
  /** Takes a request for a network. */
  takeFrom(network: string): Promise<QuotaDecision>;
}

/** Opens quotas before each test. */
export function useQuotas(open: () => Promise<OpenQuotas>): QuotaSubject {
  let opened: OpenQuotas;
  let startedAt = 0;
  beforeEach(async () => {
    opened = await open();
    startedAt = opened.now();
  });
  return {
    get quotas() {
      return opened.quotas;
    },
    get startedAt() {
      return startedAt;
    },
    now: () => opened.now(),
    advance: (ms) => opened.advance(ms),
    async take(key, times = 1) {
      const decisions: QuotaDecision[] = [];
      for (let i = 0; i < times; i += 1) decisions.push(await opened.quotas.keys.take(key));
      return decisions;
    },
    async takeFrom(network) {
      await opened.beforeNetwork?.();
      return opened.quotas.networks.take(network);
    },
  };
}

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

export const small = { id: 'small', quota: { perMinute: 3, perDay: 5 } };
export const free = { id: 'free', quota: { perMinute: 60, perDay: 1_000 } };

/** Uses the minute up, then sends as many strikes as leave the key one short of a ban. */
export async function strikeToTheThreshold(subject: QuotaSubject, key: TestKey) {
  await subject.take(key, key.quota.perMinute + 1);
  await subject.advance(1_000);
  return subject.take(key, 30);
}

export const outcomes = (decisions: readonly QuotaDecision[]) =>
  decisions.map(({ outcome }) => outcome);

export const seconds = (ms: number) => Math.ceil(ms / 1_000);

export function lastOf(decisions: readonly QuotaDecision[]): QuotaDecision {
  const last = decisions.at(-1);
  if (last === undefined) throw new Error('No decision was taken.');
  return last;
}
