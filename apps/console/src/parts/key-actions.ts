import type { KeyDetails } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { call } from '../call-admin-api.ts';
import type { Operation } from '../operation.ts';
import { may } from '../session.ts';
import { ChangePlanDialog } from './change-plan-dialog.ts';
import { ConfirmDialog, type Reason } from './dialog.ts';
import { EditKeyDialog } from './edit-key-dialog.ts';
import { Name } from './name.ts';
import { showToken } from './new-tokens.ts';
import { announce } from './notice.ts';
import { RotateDialog } from './rotate-dialog.ts';

type Open = 'edit' | 'plan' | 'rotate' | 'suspend' | 'resume' | 'revoke' | 'unban';

/** What can be done with a key, as far as its state and the role of the operator allow it. */
export function KeyActions({ details, onChanged }: { details: KeyDetails; onChanged: () => void }) {
  const [open, setOpen] = useState<Open>();
  const { id, state, suspension, usage } = details;
  const name = details.name === null ? 'the key' : html`<${Name} text=${details.name} />`;
  // A suspended key can be changed as well.
  const isCurrent = state === 'active' || state === 'suspended';
  // Not by the state: a key whose account is suspended need not be suspended itself.
  const isSuspended = isCurrent && suspension !== null;
  const isMarked = usage.bannedUntil !== null || usage.strikes > 0;
  const close = () => setOpen(undefined);

  function done(text: string): void {
    setOpen(undefined);
    announce(text);
    onChanged();
  }

  const actions: readonly { open: Open; label: string; needs: Operation; isPossible: boolean }[] = [
    { open: 'unban', label: 'Unban…', needs: 'unbanKey', isPossible: isMarked },
    { open: 'plan', label: 'Change plan or limits…', needs: 'changeKey', isPossible: isCurrent },
    {
      open: 'edit',
      label: 'Edit name, account, scopes, expiry…',
      needs: 'changeKey',
      isPossible: isCurrent,
    },
    { open: 'rotate', label: 'Rotate…', needs: 'rotateKey', isPossible: isCurrent },
    {
      open: 'suspend',
      label: 'Suspend…',
      needs: 'suspendKey',
      isPossible: isCurrent && !isSuspended,
    },
    { open: 'resume', label: 'Resume…', needs: 'resumeKey', isPossible: isSuspended },
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
        title="Unban the key?"
        consequence="The ban ends at once, on all replicas. Strikes and the memory of earlier bans are deleted. What the key has used stays counted, so it may still be denied until its window resets."
        confirmLabel="Unban"
        onClose=${close}
        confirm=${async (_form: FormData, query: Reason) => {
          await call('unbanKey', { id, query });
          done('The key is unbanned.');
        }}
      />`
    }
    ${
      open === 'suspend' &&
      html`<${ConfirmDialog}
        title=${html`Suspend ${name}?`}
        consequence="All replicas refuse the key within a second, until it is resumed. Its callers are told that it is suspended and whom to ask, but not the reason. What it has used stays counted."
        confirmLabel="Suspend the key"
        isDangerous
        onClose=${close}
        confirm=${async (_form: FormData, query: Reason) => {
          await call('suspendKey', { id, query });
          done('The key is suspended.');
        }}
      />`
    }
    ${
      open === 'resume' &&
      html`<${ConfirmDialog}
        title=${html`Resume ${name}?`}
        consequence="All replicas admit the key again within a second. Its windows, strikes and ban go on as if it had not been suspended."
        confirmLabel="Resume"
        onClose=${close}
        confirm=${async (_form: FormData, query: Reason) => {
          await call('resumeKey', { id, query });
          done('The key is active again.');
        }}
      />`
    }
    ${
      open === 'revoke' &&
      html`<${ConfirmDialog}
        title=${html`Revoke ${name}?`}
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
        title=${html`Rotate ${name}?`}
        onClose=${close}
        rotate=${async (graceSeconds: number, query: Reason) => {
          const issued = await call('rotateKey', { id, query, body: { graceSeconds } });
          showToken({
            title: 'The new token',
            token: issued.token,
            advice: 'Give it to whoever uses the key.',
          });
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
  `;
}
