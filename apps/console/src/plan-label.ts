import { type PlanName, plans } from '@animal-store/contract/plan';
import { formatCount } from './format.ts';

/** A plan as a choice: its name, and what it admits. */
export function planLabel(plan: PlanName): string {
  const name = plan.charAt(0).toUpperCase() + plan.slice(1);
  const quota = plans[plan];
  if (quota === undefined) return `${name}: limits of its own`;
  return `${name}: ${formatCount(quota.perMinute)} a minute, ${formatCount(quota.perDay)} a day`;
}
