// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/preact';
import { expect, test, vi } from 'vitest';
import { renderAt } from '../../../test/render-at.tsx';
import { RefusedRequest } from '../../api/failures.ts';
import { Notice } from '../notice.tsx';
import { type Change, ChangeDialog } from './change-dialog.tsx';
import { Field } from './form.tsx';

/** Opens a confirmation dialog, and clicks its confirm button. */
function confirm(change: Change['change'], onClose = () => {}): void {
  const question = {
    title: 'Suspend?',
    consequence: 'The key is refused.',
    confirmLabel: 'Suspend',
    fields: <Field label="Expires" name="expires" />,
    done: 'Key suspended.',
    change,
  };
  renderAt(
    '#/key/a',
    <>
      <Notice />
      <ChangeDialog change={question} onClose={onClose} />
    </>,
  );
  fireEvent.input(screen.getByLabelText(/^Reason/), { target: { value: ' leaked ' } });
  fireEvent.submit(screen.getByRole('dialog').querySelector('form') ?? expect.unreachable());
}

test('the change dialog sends the change with its reason, closes, and shows a message', async () => {
  const change = vi.fn(async () => {});
  const onClose = vi.fn();
  confirm(change, onClose);
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(change).toHaveBeenCalledExactlyOnceWith(expect.any(FormData), { reason: 'leaked' });
  expect(screen.getByText('Key suspended.').closest('[role=status]')).not.toBeNull();
});

test('when the service refuses a value, the change dialog shows the error at the field of this value, and focuses the field', async () => {
  const message = 'expiresAt: expected a time in the future, got "2020-01-01T00:00:00Z"';
  confirm(async () => {
    throw new RefusedRequest(400, { message });
  });
  const fault = await screen.findByText('Choose a time in the future.');
  const field = screen.getByLabelText(/^Expires/);
  expect(field.getAttribute('aria-invalid')).toBe('true');
  expect(field.getAttribute('aria-describedby')).toBe(fault.id);
  expect(document.activeElement).toBe(field);
});

test('the change dialog shows an error that concerns no field above its buttons, and keeps the input', async () => {
  const onClose = vi.fn();
  confirm(async () => {
    throw new RefusedRequest(503, { message: 'The database does not answer.' });
  }, onClose);
  await screen.findByText('The database does not answer.');
  expect(screen.getByLabelText<HTMLInputElement>(/^Reason/).value).toBe(' leaked ');
  expect(onClose).not.toHaveBeenCalled();
});

test('the change dialog cannot be closed or confirmed again while the change is being sent', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const change = vi.fn(() => promise);
  const onClose = vi.fn();
  confirm(change, onClose);
  const button = await screen.findByRole('button', { name: 'Working…' });
  fireEvent.submit(button.closest('form') ?? expect.unreachable());
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect([change.mock.calls.length, onClose.mock.calls.length]).toEqual([1, 0]);
  resolve();
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});
