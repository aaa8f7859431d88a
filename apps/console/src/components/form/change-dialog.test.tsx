// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/preact';
import { expect, test, vi } from 'vitest';
import { renderAt } from '../../../test/render-at.tsx';
import { RefusedRequest } from '../../api/failures.ts';
import { Notice } from '../notice.tsx';
import { type Change, ChangeDialog } from './change-dialog.tsx';
import { Field } from './form.tsx';

/** Opens the dialog, and confirms it. */
function confirm(change: Change['change'], onClose = () => {}): void {
  const question = {
    title: 'Suspend?',
    consequence: 'The key is refused.',
    confirmLabel: 'Suspend',
    fields: <Field label="Expires" name="expires" />,
    done: 'The key is suspended.',
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

test('the dialog makes the change with the reason, closes, and confirms it', async () => {
  const change = vi.fn(async () => {});
  const onClose = vi.fn();
  confirm(change, onClose);
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(change).toHaveBeenCalledExactlyOnceWith(expect.any(FormData), { reason: 'leaked' });
  expect(screen.getByText('The key is suspended.').closest('[role=status]')).not.toBeNull();
});

test('a refused value is reported at its field, which gets the focus', async () => {
  const message = 'expiresAt: expected a time to come, got "2020-01-01T00:00:00Z"';
  confirm(async () => {
    throw new RefusedRequest(400, { message });
  });
  const fault = await screen.findByText('Choose a time in the future.');
  const field = screen.getByLabelText(/^Expires/);
  expect(field.getAttribute('aria-invalid')).toBe('true');
  expect(field.getAttribute('aria-describedby')).toBe(fault.id);
  expect(document.activeElement).toBe(field);
});

test('a failure without a field is reported above the buttons, and the input stays', async () => {
  const onClose = vi.fn();
  confirm(async () => {
    throw new RefusedRequest(503, { message: 'The database does not answer.' });
  }, onClose);
  await screen.findByText('The database does not answer.');
  expect(screen.getByLabelText<HTMLInputElement>(/^Reason/).value).toBe(' leaked ');
  expect(onClose).not.toHaveBeenCalled();
});

test('the dialog cannot be closed or confirmed twice during the change', async () => {
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
