import type { Key } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';

type Plan = Key['plan'];

/** What the plans admit. `enterprise` brings its own numbers. */
const plans: Readonly<Record<Plan, string>> = {
  free: 'Free',
  pro: 'Pro',
  business: 'Business',
  enterprise: 'Enterprise: limits of its own',
};

const isPlan = (text: string): text is Plan => text in plans;

/** The choice of a plan, and of the limits of an Enterprise key. */
export function PlanFields({
  plan: initial,
  quota,
}: {
  plan: Plan;
  quota?: { perMinute: number; perDay: number };
}) {
  const [plan, setPlan] = useState(initial);
  const limit = (
    name: string,
    label: string,
    value: number | undefined,
  ) => html`<label class="field">
    ${label}
    <input type="number" name=${name} required min="1" max="2147483647" step="1" defaultValue=${value} />
  </label>`;
  return html`
    <label class="field">
      Plan
      <select
        name="plan"
        value=${plan}
        onChange=${(event: Event) => {
          const { value } = event.target as HTMLSelectElement;
          if (isPlan(value)) setPlan(value);
        }}
      >
        ${Object.entries(plans).map(([name, label]) => html`<option value=${name}>${label}</option>`)}
      </select>
    </label>
    ${
      plan === 'enterprise' &&
      html`<div class="fields">
        ${limit('perMinute', 'Requests a minute', quota?.perMinute)}
        ${limit('perDay', 'Requests a day', quota?.perDay)}
      </div>`
    }
  `;
}

/** Reads the fields. */
export function readPlan(form: FormData) {
  const plan = String(form.get('plan'));
  if (!isPlan(plan)) throw new Error('Choose a plan.');
  if (plan !== 'enterprise') return { plan };
  const perMinute = Number(form.get('perMinute'));
  const perDay = Number(form.get('perDay'));
  return { plan, quota: { perMinute, perDay } };
}
