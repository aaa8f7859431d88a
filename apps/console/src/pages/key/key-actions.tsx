import type { KeyDetails } from '@animal-store/admin-contract';
import { call } from '../../api/call-admin-api.ts';
import { type Action, Actions } from '../../components/form/actions.tsx';
import { confirmSimilarAccount } from '../../components/form/confirm-similar-account.ts';
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
  // The condition does not use `state`, because a key also has the state `suspended` if only its
  // account is suspended. Operators cannot resume such a key.
  const isSuspended = isCurrent && suspension !== null;
  const isBanned = usage.bannedUntil !== null;
  return {
    unban: {
      label: isBanned ? 'Unban…' : 'Clear strikes…',
      title: isBanned ? 'Unban the key?' : 'Clear the strikes that count toward a ban?',
      consequence: `${isBanned ? 'The ban ends immediately on all replicas. ' : ''}Strikes (requests sent too early after a 429) and earlier bans are cleared. Earlier requests still count toward the limits, so the key may be denied until a window resets.`,
      confirmLabel: isBanned ? 'Unban' : 'Clear strikes',
      needs: 'unbanKey',
      isPossible: isCurrent && (isBanned || usage.strikes > 0),
      change: (_form, query) => call('unbanKey', { id, query }),
      done: isBanned ? 'Key unbanned.' : 'Strikes cleared.',
    },
    credit: {
      label: 'Reset usage…',
      title: 'Reset the usage of the key?',
      consequence:
        'For the key, a new minute and a new day begin with the next request. Earlier requests no longer count toward the limits, but stay in the usage history.',
      confirmLabel: 'Reset usage',
      needs: 'creditKey',
      isPossible: isCurrent && usage.subject === 'key' && isUsed(usage.windows),
      fields: isBanned && <UnbanField what="the key" />,
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
          ? 'The plan of the account applies now. The limits that you enter here apply as soon as the account has no plan.'
          : 'The new limits apply from the next request on. Requests of the current minute and day still count.',
      confirmLabel: 'Change',
      needs: 'changeKey',
      isPossible: isCurrent,
      fields: (
        <>
          <PlanFields plan={plan} quota={quota} />
          {isBanned && <UnbanField what="the key" />}
        </>
      ),
      async change(form, query) {
        await call('changeKey', { id, query, body: readPlan(form) });
        if (asksToUnban(form)) await call('unbanKey', { id, query });
      },
      done: 'Plan changed.',
    },
    edit: {
      label: 'Edit name, account, permissions, expiry…',
      title: 'Edit the key',
      consequence:
        'If the account has a plan, the key shares the limits of that plan. After the key has expired, its expiry can no longer be changed.',
      confirmLabel: 'Save',
      needs: 'changeKey',
      isPossible: isCurrent,
      fields: <KeyFields details={details} />,
      change: async (form, query) => {
        const body = readKeyFields(form, details);
        await confirmSimilarAccount(body.account);
        return call('changeKey', { id, query, body });
      },
      done: 'Key changed.',
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
          advice: 'Give this token to the people or programs that use the key.',
        });
      }),
      done: 'New token created.',
    },
    suspend: {
      label: 'Suspend…',
      title: <>Suspend {name}?</>,
      consequence:
        'All replicas refuse the key within a second, until you resume it. Responses say that the key is suspended and whom to ask, but not why. Earlier requests still count toward the limits.',
      confirmLabel: 'Suspend the key',
      isDangerous: true,
      needs: 'suspendKey',
      isPossible: isCurrent && !isSuspended,
      change: (_form, query) => call('suspendKey', { id, query }),
      done: 'Key suspended.',
    },
    resume: {
      label: 'Resume…',
      title: <>Resume {name}?</>,
      consequence:
        'All replicas accept the key again within a second. Earlier requests still count toward the limits, and a ban continues until it ends.',
      confirmLabel: 'Resume',
      needs: 'resumeKey',
      isPossible: isSuspended,
      change: (_form, query) => call('resumeKey', { id, query }),
      done: 'Key resumed.',
    },
    revoke: {
      label: 'Revoke…',
      title: <>Revoke {name}?</>,
      consequence:
        'All replicas refuse the key within a second. This cannot be undone. The users of the key need a new one.',
      confirmLabel: 'Revoke the key',
      isDangerous: true,
      isPermanent: true,
      needs: 'revokeKey',
      isPossible: state !== 'revoked',
      change: (_form, query) => call('revokeKey', { id, query }),
      done: 'Key revoked.',
    },
  };
}
