import { maxLimit, type PlanName, planNames, plans } from '@animal-store/contract/plan';
import { useState } from 'preact/hooks';
import { formatCount } from '../time/format.ts';
import { Field, SelectField } from './form.tsx';

/** Returns the label of a plan: its name with a capital letter. */
export const planTitle = (plan: PlanName): string => plan.charAt(0).toUpperCase() + plan.slice(1);

/** Formats a plan for a list of options: its name and its limits. */
function planLabel(plan: PlanName): string {
  const name = planTitle(plan);
  const quota = plans[plan];
  if (quota === undefined) return `${name}: custom limits`;
  return `${name}: ${formatCount(quota.perMinute)} a minute, ${formatCount(quota.perDay)} a day`;
}

/** The form fields for a plan, with the two limits of an Enterprise plan. */
export function PlanFields({
  plan: initial,
  quota,
}: {
  plan: PlanName;
  quota?: { perMinute: number; perDay: number };
}) {
  const [plan, setPlan] = useState(initial);
  const limit = (name: string, label: string, value: number | undefined) => (
    <Field
      label={label}
      name={name}
      type="number"
      required
      min="1"
      max={maxLimit}
      step="1"
      defaultValue={value}
    />
  );
  return (
    <>
      <SelectField
        label="Plan"
        name="plan"
        options={planNames.map((name) => [name, planLabel(name)])}
        value={plan}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setPlan(planNames.find((name) => name === value) ?? plan);
        }}
      />
      {plan === 'enterprise' && (
        <div class="fields">
          {limit('perMinute', 'Requests a minute', quota?.perMinute)}
          {limit('perDay', 'Requests a day', quota?.perDay)}
        </div>
      )}
    </>
  );
}

export function readPlan(form: FormData) {
  const plan = planNames.find((name) => name === form.get('plan'));
  if (plan === undefined) throw new Error('Choose a plan.');
  if (plan !== 'enterprise') return { plan };
  const perMinute = Number(form.get('perMinute'));
  const perDay = Number(form.get('perDay'));
  return { plan, quota: { perMinute, perDay } };
}

/**
 * A checkbox that unbans keys together with another change, such as a new plan. If the checkbox is
 * not checked, the keys stay banned, even if the change lets them send more requests.
 *
 * @param what a description of the banned keys, such as "3 keys".
 */
export function UnbanField({ what }: { what: string }) {
  return (
    <label class="check">
      <input type="checkbox" name="unban" defaultChecked />
      Also unban {what}. Otherwise, requests are refused until the ban ends.
    </label>
  );
}

export const asksToUnban = (form: FormData): boolean => form.has('unban');
