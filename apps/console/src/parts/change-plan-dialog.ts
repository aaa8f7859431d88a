import type { KeyDetails } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { call } from '../call-admin-api.ts';
import { ConfirmDialog, type Reason } from './dialog.ts';
import { PlanFields, readPlan } from './plan-fields.ts';

/** Asks for another plan, or for other limits of an Enterprise key. */
export function ChangePlanDialog({
  details: { id, plan, quota },
  onDone,
  onClose,
}: {
  details: KeyDetails;
  onDone: () => void;
  onClose: () => void;
}) {
  return html`<${ConfirmDialog}
    title="Change plan or limits"
    consequence="The new limits hold from the next request on. What the key has used in this minute and this day stays counted."
    confirmLabel="Change"
    onClose=${onClose}
    confirm=${async (form: FormData, query: Reason) => {
      await call('changeKey', { id, query, body: readPlan(form) });
      onDone();
    }}
  >
    <${PlanFields} plan=${plan} quota=${quota} />
  <//>`;
}
