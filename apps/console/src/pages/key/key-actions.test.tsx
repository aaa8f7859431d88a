// @vitest-environment happy-dom
import type { IssuedSession, KeyDetails } from '@animal-store/admin-contract';
import { fireEvent, screen } from '@testing-library/preact';
import { expect, onTestFinished, test } from 'vitest';
import { renderAt } from '../../../test/render-at.tsx';
import { session } from '../../api/session.ts';
import { KeyActions } from './key-actions.tsx';

const until = '2026-11-25T10:00:00.000Z';

function renderKey(key: object): void {
  session.value = { session: { operations: ['unbanKey'] } } as unknown as IssuedSession;
  onTestFinished(() => {
    session.value = undefined;
  });
  const details = { suspension: null, ...key } as unknown as KeyDetails;
  renderAt('#/key/a', <KeyActions details={details} />);
}

test.each(['revoked', 'expired'] as const)(
  'for a banned API key that is %s, there is no button to unban it, because the service refuses this',
  (state) => {
    renderKey({ state, usage: { bannedUntil: until, strikes: 2 } });
    expect(screen.queryAllByRole('button')).toEqual([]);
  },
);

test.each([
  [
    null,
    'Clear strikes…',
    'Clear the strikes that count toward a ban?',
    /^Strikes \(requests sent too early after a 429\)/,
  ],
  [until, 'Unban…', 'Unban the key?', /^The ban ends immediately on all replicas\. Strikes/],
] as const)(
  'for an API key with denied requests and with bannedUntil=%s, the button "%s" opens the dialog "%s"',
  (bannedUntil, button, title, consequence) => {
    renderKey({ state: 'active', usage: { bannedUntil, strikes: 2 } });
    fireEvent.click(screen.getByRole('button', { name: button }));
    const dialog = screen.getByRole('dialog', { name: title });
    expect(dialog.querySelector('.consequence')?.textContent).toMatch(consequence);
  },
);
