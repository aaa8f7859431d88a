import type { KeyDetails } from '@animal-store/admin-contract';
import { call } from '../../api/call-admin-api.ts';
import { type Action, Actions } from '../../components/form/actions.tsx';
import { confirmAlikeAccount } from '../../components/form/confirm-alike-account.ts';
import { KeyFields, readKeyFields } from '../../components/form/key-fields.tsx';
import {
  asksToUnban,
  PlanFields,
  readPlan,
  UnbanField,
} from '../../components/form/plan-fields.tsx';
import { rotationBy } from '../../components/form/rotation.tsx';
import { Name } from '../../components/name.tsx';
import { showToken } from '../../components/new-tokens.tsx';
import { isUsed } from '../../components/plot/usage.ts';

export function KeyActions({ details }: { details: KeyDetails }) {
  return <Actions actions={actionsOn(details)} />;
}

function actionsOn(details: KeyDetails): Readonly<Record<string, Action>> {
  const { id, plan, quota, state, suspension, usage } = details;
  const name = details.name === null ? 'the key' : <Name text={details.name} />;
  // A suspended key can be changed in the same way as an active key.
  const isCurrent = state === 'active' || state === 'suspended';
  // The condition does not use `state`. If only the account is suspended, the key has the state
  // `suspended` but cannot be resumed itself.
  const isSuspended = isCurrent && suspension !== null;
  return {
    unban: {
      label: usage.bannedUntil === null ? 'Clear strikes…' : 'Unban…',
      title: 'Unban the key?',
      consequence:
        'The ban ends at once, on all replicas. Strikes and earlier bans are cleared. Requests that were already counted stay counted, so the key may still be denied until its window resets.',
      confirmLabel: 'Unban',
      needs: 'unbanKey',
      isPossible: usage.bannedUntil !== null || usage.strikes > 0,
      change: (_form, query) => call('unbanKey', { id, query }),
      done: 'The key is unbanned.',
    },
    credit: {
      label: 'Reset usage…',
      title: 'Set the request counts of this key for the current minute and day to zero?',
      consequence:
        'Its minute and day windows start over with the next request: earlier requests no longer count. The history stays.',
      confirmLabel: 'Reset usage',
      needs: 'creditKey',
      isPossible: isCurrent && usage.subject === 'key' && isUsed(usage.windows),
      fields: usage.bannedUntil !== null && <UnbanField what="the key" />,
      async change(form, query) {
        await call('creditKey', { id, query });
        if (asksToUnban(form)) await call('unbanKey', { id, query });
      },
      done: 'Usage reset.',
    },
    setPlan: {
      label: 'Change plan or limits…',
      title: 'Change plan or limits',
      consequence:
        usage.subject === 'account'
          ? 'The plan of its account applies. These limits take effect when the account has no plan.'
          : 'The new limits apply from the next request on. Requests of the current minute and day stay counted.',
      confirmLabel: 'Change',
      needs: 'changeKey',
      isPossible: isCurrent,
      fields: (
        <>
          <PlanFields plan={plan} quota={quota} />
          {usage.bannedUntil !== null && <UnbanField what="the key" />}
        </>
      ),
      async change(form, query) {
        await call('changeKey', { id, query, body: readPlan(form) });
        if (asksToUnban(form)) await call('unbanKey', { id, query });
      },
      done: 'The plan is changed.',
    },
    edit: {
      label: 'Edit name, account, permissions, expiry…',
      title: 'Edit the key',
      consequence:
        'Name and account do not affect requests. After it expires, the key is refused on all replicas. You can change the expiry until then.',
      confirmLabel: 'Save',
      needs: 'changeKey',
      isPossible: isCurrent,
      fields: <KeyFields details={details} />,
      change: async (form, query) => {
        const body = readKeyFields(form, details);
        await confirmAlikeAccount(body.account);
        return call('changeKey', { id, query, body });
      },
      done: 'The key is changed.',
    },
    rotate: {
      label: 'Rotate…',
      title: <>Rotate {name}?</>,
      needs: 'rotateKey',
      isPossible: isCurrent,
      ...rotationBy(async (graceSeconds, query) => {
        const { token } = await call('rotateKey', { id, query, body: { graceSeconds } });
        showToken({
          title: 'The new token',
          token,
          advice: 'Give it to the people or programs that use the key.',
        });
      }),
      done: 'The key has a new token.',
    },
    suspend: {
      label: 'Suspend…',
      title: <>Suspend {name}?</>,
      consequence:
        'All replicas refuse the key within a second, until it is resumed. Responses say that it is suspended and whom to ask, but not why. What it has used stays counted.',
      confirmLabel: 'Suspend the key',
      isDangerous: true,
      needs: 'suspendKey',
      isPossible: isCurrent && !isSuspended,
      change: (_form, query) => call('suspendKey', { id, query }),
      done: 'The key is suspended.',
    },
    resume: {
      label: 'Resume…',
      title: <>Resume {name}?</>,
      consequence:
        'All replicas admit the key again within a second. The suspension has not changed its windows, strikes or ban.',
      confirmLabel: 'Resume',
      needs: 'resumeKey',
      isPossible: isSuspended,
      change: (_form, query) => call('resumeKey', { id, query }),
      done: 'The key is active again.',
    },
    revoke: {
      label: 'Revoke…',
      title: <>Revoke {name}?</>,
      consequence:
        'All replicas refuse the key within a second. This cannot be undone. Its users need a new key.',
      confirmLabel: 'Revoke the key',
      isDangerous: true,
      isPermanent: true,
      needs: 'revokeKey',
      isPossible: state !== 'revoked',
      change: (_form, query) => call('revokeKey', { id, query }),
      done: 'The key is revoked.',
    },
  };
}
