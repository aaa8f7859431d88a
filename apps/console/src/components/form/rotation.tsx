import type { Change, Reason } from './change-dialog.tsx';
import { SelectField } from './form.tsx';

const graces = [
  [0, 'immediately'],
  [3_600, 'in an hour'],
  [86_400, 'in a day'],
  [7 * 86_400, 'in 7 days'],
  [30 * 86_400, 'in 30 days'],
] as const;

/**
 * Creates the dialog for a token rotation. The dialog asks the operator when the current tokens
 * expire.
 */
export function rotationBy(
  rotate: (graceSeconds: number, query: Reason) => Promise<void>,
): Omit<Change, 'title' | 'done'> {
  return {
    consequence:
      'The new token is shown only once. Current tokens expire at the time that you choose, unless they already expire earlier.',
    confirmLabel: 'Create new token',
    fields: (
      <SelectField
        label="Current tokens expire"
        name="grace"
        options={graces}
        defaultValue={86_400}
      />
    ),
    change: (form, query) => rotate(Number(form.get('grace')), query),
  };
}
