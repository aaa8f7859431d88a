import type { KeyDetails } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { call, type Operation } from '../call-admin-api.ts';
import { may } from '../session.ts';
import { ChangePlanDialog } from './change-plan-dialog.ts';
import { ConfirmDialog, type Reason } from './dialog.ts';
import { EditKeyDialog } from './edit-key-dialog.ts';
import { announce } from './notice.ts';
import { RotateDialog } from './rotate-dialog.ts';
import { SecretDialog } from './secret-dialog.ts';

type Open = 'edit' | 'plan' | 'rotate' | 'revoke' | 'unban';

/** What can be done with a key, as far as its state and the role of the operator allow it. */
export function KeyActions({ details, onChanged }: { details: KeyDetails; onChanged: () => void }) {
  const [open, setOpen] = useState<Open>();
  const [token, setToken] = useState<string>();
  const { id, state, usage } = details;
  const name = details.name ?? 'the key';
  const isActive = state === 'active';
  const isMarked = usage.bannedUntil !== null || usage.strikes > 0;
  const close = () => setOpen(undefined);

  function done(text: string): void {
    setOpen(undefined);
    announce(text);
    onChanged();
  }

  const actions: readonly { open: Open; label: string; needs: Operation; isPossible: boolean }[] = [
    { open: 'unban', label: 'Lift the ban…', needs: 'unbanKey', isPossible: isMarked },
    { open: 'plan', label: 'Change plan or limits…', needs: 'changeKey', isPossible: isActive },
    {
      open: 'edit',
      label: 'Edit name, account, expiry…',
      needs: 'changeKey',
      isPossible: isActive,
    },
    { open: 'rotate', label: 'Rotate…', needs: 'rotateKey', isPossible: isActive },
    { open: 'revoke', label: 'Revoke…', needs: 'revokeKey', isPossible: state !== 'revoked' },
  ];
  const possible = actions.filter(({ needs, isPossible }) => isPossible && may(needs));

  return html`
    ${
      possible.length > 0 &&
      html`<div class="toolbar" role="group" aria-label="Actions">
        ${possible.map(
          (action) => html`<button
            key=${action.open}
            type="button"
            class=${action.open === 'revoke' ? 'danger' : ''}
            onClick=${() => setOpen(action.open)}
          >${action.open === 'unban' && usage.bannedUntil === null ? 'Delete the strikes…' : action.label}</button>`,
        )}
      </div>`
    }
    ${
      open === 'unban' &&
      html`<${ConfirmDialog}
        title="Lift the ban?"
        consequence="The ban ends at once, on all replicas. Strikes and the memory of earlier bans are deleted. What the key has used stays counted, so it may still be denied until its window resets."
        confirmLabel="Lift the ban"
        onClose=${close}
        confirm=${async (_form: FormData, query: Reason) => {
          await call('unbanKey', { id, query });
          done('The ban is lifted.');
        }}
      />`
    }
    ${
      open === 'revoke' &&
      html`<${ConfirmDialog}
        title="Revoke ${name}?"
        consequence="All replicas refuse the key within a second. This is for good: there is no way back, and whoever uses it needs a new key."
        confirmLabel="Revoke the key"
        isDangerous
        onClose=${close}
        confirm=${async (_form: FormData, query: Reason) => {
          await call('revokeKey', { id, query });
          done('The key is revoked.');
        }}
      />`
    }
    ${
      open === 'rotate' &&
      html`<${RotateDialog}
        title="Rotate ${name}?"
        onClose=${close}
        rotate=${async (graceSeconds: number, query: Reason) => {
          const issued = await call('rotateKey', { id, query, body: { graceSeconds } });
          setToken(issued.token);
          done('The key has a new token.');
        }}
      />`
    }
    ${
      open === 'plan' &&
      html`<${ChangePlanDialog}
        details=${details}
        onClose=${close}
        onDone=${() => done('The plan is changed.')}
      />`
    }
    ${
      open === 'edit' &&
      html`<${EditKeyDialog} details=${details} onClose=${close} onDone=${() => done('The key is changed.')} />`
    }
    ${
      token !== undefined &&
      html`<${SecretDialog}
        title="The new token"
        token=${token}
        advice="Give it to whoever uses the key."
        onClose=${() => setToken(undefined)}
      />`
    }
  `;
}
