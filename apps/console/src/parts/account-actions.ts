import type { AccountDetails } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { call } from '../call-admin-api.ts';
import type { Operation } from '../operation.ts';
import { may } from '../session.ts';
import { ConfirmDialog, type Reason } from './dialog.ts';
import { announce } from './notice.ts';
import { PlanFields, readPlan } from './plan-fields.ts';

interface Action {
  readonly label: string;
  readonly title: string;
  readonly needs: Operation;
  readonly isPossible: boolean;
  readonly consequence: string;
  readonly done: string;
  readonly hasPlan?: boolean;
  readonly change: (form: FormData, query: Reason) => Promise<unknown>;
}

/** What can be done with an account, as far as its state and the role of the operator allow it. */
export function AccountActions({
  account: { account: id, plan, quota, suspension },
  onChanged,
}: {
  account: AccountDetails;
  onChanged: () => void;
}) {
  const [open, setOpen] = useState<string>();
  const actions: readonly Action[] = [
    {
      label: 'Resume…',
      title: 'Resume the account?',
      needs: 'resumeAccount',
      isPossible: suspension !== null,
      consequence:
        'All replicas admit its keys again within a second, unless they are suspended themselves.',
      done: 'The account is resumed.',
      change: (_form, query) => call('resumeAccount', { id, query }),
    },
    {
      label: 'Change plan or limits…',
      title: 'Change plan or limits',
      needs: 'setAccountPlan',
      isPossible: true,
      consequence:
        'From the next request on, all keys of the account share these limits, and their own plans rest.',
      done: 'The plan is changed.',
      hasPlan: true,
      change: (form, query) => call('setAccountPlan', { id, query, body: readPlan(form) }),
    },
    {
      label: 'Take the plan away…',
      title: 'Take the plan away?',
      needs: 'setAccountPlan',
      isPossible: plan !== null,
      consequence: 'The account is a label again: each of its keys has the limits of its own plan.',
      done: 'The account has no plan.',
      change: (_form, query) => call('setAccountPlan', { id, query, body: { plan: null } }),
    },
    {
      label: 'Suspend…',
      title: 'Suspend the account?',
      needs: 'suspendAccount',
      isPossible: suspension === null,
      consequence:
        'All replicas refuse every key of the account within a second, until it is resumed. Callers are told that they are suspended, but not the reason.',
      done: 'The account is suspended.',
      change: (_form, query) => call('suspendAccount', { id, query }),
    },
  ];
  const possible = actions.filter(({ needs, isPossible }) => isPossible && may(needs));
  const action = possible.find(({ label }) => label === open);
  if (possible.length === 0) return null;
  return html`
    <div class="toolbar" role="group" aria-label="Actions">
      ${possible.map(
        ({ label }) =>
          html`<button type="button" key=${label} onClick=${() => setOpen(label)}>${label}</button>`,
      )}
    </div>
    ${
      action !== undefined &&
      html`<${ConfirmDialog}
        title=${action.title}
        consequence=${action.consequence}
        confirmLabel=${action.label.replace('…', '')}
        onClose=${() => setOpen(undefined)}
        confirm=${async (form: FormData, query: Reason) => {
          await action.change(form, query);
          setOpen(undefined);
          announce(action.done);
          onChanged();
        }}
      >
        ${action.hasPlan === true && html`<${PlanFields} plan=${plan ?? 'free'} quota=${quota ?? undefined} />`}
      <//>`
    }
  `;
}
