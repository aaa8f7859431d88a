import type { Change, Reason } from './change-dialog.tsx';
import { SelectField } from './form.tsx';

const graces = [
  [0, 'not at all'],
  [3_600, 'an hour'],
  [86_400, 'a day'],
  [7 * 86_400, '7 days'],
  [30 * 86_400, '30 days'],
] as const;

/** The question of every rotation: how long the tokens before it stay valid. */
export function rotationBy(
  rotate: (graceSeconds: number, query: Reason) => Promise<void>,
): Omit<Change, 'title' | 'done'> {
  return {
    consequence:
      'A new token is created and shown once. The present ones stay valid for the time that you choose, and never longer than an earlier rotation left them.',
    confirmLabel: 'Create a new token',
    fields: (
      <SelectField
        label="The present tokens stay valid"
        name="grace"
        options={graces}
        defaultValue={86_400}
      />
    ),
    change: (form, query) => rotate(Number(form.get('grace')), query),
  };
}
