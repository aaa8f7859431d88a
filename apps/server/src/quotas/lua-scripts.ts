import { readFileSync } from 'node:fs';
import type { BanPolicy } from '@animal-store/contract';

const [keyState, banRule, decide, unban, countNetwork] = [
  'key-state',
  'ban-rule',
  'decide',
  'unban',
  'count-network',
].map((name) => readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8'));

/** Decides requests of API keys. The policy is part of the script, so that no call has to send it. */
export function decideScript(policy: BanPolicy): string {
  const constants = {
    GRACE: policy.graceMs,
    MIN_STRIKES: policy.minStrikes,
    STRIKE_SHARE: policy.strikeShare,
    STRIKE_WINDOW: policy.strikeWindowSeconds * 1_000,
    FIRST_BAN: policy.banSeconds * 1_000,
    LONGEST_BAN: policy.maxBanSeconds * 1_000,
    BAN_MEMORY: policy.memorySeconds * 1_000,
  };
  const policyLines = Object.entries(constants).map(([name, value]) => `local ${name} = ${value}`);
  return [...policyLines, keyState, banRule, decide].join('\n');
}

export const unbanScript = [keyState, unban].join('\n');

export const countNetworkScript = String(countNetwork);
