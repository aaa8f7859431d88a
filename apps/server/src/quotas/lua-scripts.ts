import { readFileSync } from 'node:fs';
import type { BanPolicy } from '@animal-store/contract';

const read = (name: string) => readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8');

/**
 * Runs the steps for each key, one after the other. They share local variables: functions and tables
 * instead would cost Redis a quarter more time for each decision.
 */
function forEachKey(...steps: string[]): string {
  return [
    read('clock'),
    'for i, key in ipairs(KEYS) do',
    ...steps.map(read),
    'end',
    'return cjson.encode(reply)',
  ].join('\n');
}

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
  return [
    ...Object.entries(constants).map(([name, value]) => `local ${name} = ${value}`),
    forEachKey('read-state', 'decide', 'ban-rule', 'write-state', 'reply'),
  ].join('\n');
}

export const unbanScript = forEachKey('read-state', 'unban', 'write-state');

export const countNetworkScript = forEachKey('count-network');
