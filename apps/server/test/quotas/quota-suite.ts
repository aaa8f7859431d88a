import { describeAccounts } from './quota-account-suite.ts';
import { describeBans } from './quota-ban-suite.ts';
import { describeNetworks } from './quota-network-suite.ts';
import { describeOperations } from './quota-operation-suite.ts';
import { type OpenQuotas, useQuotas } from './quota-subject.ts';
import { describeWindows } from './quota-window-suite.ts';

/**
 * What quotas must do, to the exact number, in memory and in Redis.
 *
 * @param open opens quotas with `suiteOptions` and nothing counted yet.
 */
export function describeQuotas(open: () => Promise<OpenQuotas>): void {
  const subject = useQuotas(open);
  describeWindows(subject);
  describeBans(subject);
  describeAccounts(subject);
  describeNetworks(subject);
  describeOperations(subject);
}
