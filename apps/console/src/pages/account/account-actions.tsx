import type { AccountDetails } from '@animal-store/admin-contract';
import { call, callForAll } from '../../api/call-admin-api.ts';
import { type Action, Actions } from '../../components/form/actions.tsx';
import type { Reason } from '../../components/form/change-dialog.tsx';
import {
  asksToUnban,
  PlanFields,
  readPlan,
  UnbanField,
} from '../../components/form/plan-fields.tsx';
import { isUsed } from '../../components/plot/usage.ts';
import { formatKeys } from '../../components/time/format.ts';

export function AccountActions({ account }: { account: AccountDetails }) {
  return <Actions actions={actionsOn(account)} />;
}

function actionsOn(account: AccountDetails): Readonly<Record<string, Action>> {
  const { account: id, plan, quota, suspension, usage } = account;
  // The keys whose requests are denied now. These keys have used up a window, or are banned because
  // their callers did not wait after a 429.
  const denied = new Set([...account.fullKeys, ...account.bans].map(({ keyId }) => keyId));
  const banned = account.bannedKeys;
  // Unbans all banned keys of the account, including keys that the page does not list.
  const unban = async (query: Reason) => {
    const keys = await callForAll('listKeys', { account: id, banned: 'true' });
    for (const key of keys) await call('unbanKey', { id: key.id, query });
  };
  return {
    unban: {
      label: `Unban ${formatKeys(banned)}…`,
      title: `Unban ${formatKeys(banned)}?`,
      consequence:
        'The bans end immediately on all replicas. Strikes (requests sent too early after a 429) are cleared. Earlier requests still count toward the limits, so the keys may be denied until a window resets.',
      confirmLabel: `Unban ${formatKeys(banned)}`,
      needs: 'unbanKey',
      isPossible: banned > 0,
      change: (_form, query) => unban(query),
      done: `${formatKeys(banned)} unbanned.`,
    },
    credit: {
      label: 'Reset usage…',
      title:
        usage === null ? 'Reset the usage of the denied keys?' : 'Reset the usage of the account?',
      consequence:
        usage === null
          ? 'For each denied key, a new minute and a new day begin with the next request. Earlier requests no longer count toward the limits, but stay in the usage history.'
          : 'For all keys of the account together, a new minute and a new day begin with the next request. Earlier requests no longer count toward the limits, but stay in the usage history.',
      confirmLabel: 'Reset usage',
      needs: 'creditAccount',
      isPossible: usage === null ? denied.size > 0 : isUsed(usage.windows),
      fields: banned > 0 && <UnbanField what={formatKeys(banned)} />,
      async change(form, query) {
        if (usage !== null) await call('creditAccount', { id, query });
        else for (const key of denied) await call('creditKey', { id: key, query });
        if (asksToUnban(form)) await unban(query);
      },
      done: 'Usage reset.',
    },
    resume: {
      label: 'Resume…',
      title: 'Resume the account?',
      consequence:
        'All replicas accept the keys of the account again within a second, except keys that were also suspended separately.',
      confirmLabel: 'Resume',
      needs: 'resumeAccount',
      isPossible: suspension !== null,
      change: (_form, query) => call('resumeAccount', { id, query }),
      done: 'Account resumed.',
    },
    setPlan: {
      label: 'Change plan or limits…',
      title: 'Change plan or limits',
      consequence:
        'From the next request on, all keys of the account share these limits. Their own plans are inactive.',
      confirmLabel: 'Change plan or limits',
      needs: 'setAccountPlan',
      isPossible: true,
      fields: (
        <>
          <PlanFields plan={plan ?? 'free'} quota={quota ?? undefined} />
          {banned > 0 && <UnbanField what={formatKeys(banned)} />}
        </>
      ),
      async change(form, query) {
        await call('setAccountPlan', { id, query, body: readPlan(form) });
        if (asksToUnban(form)) await unban(query);
      },
      done: 'Plan changed.',
    },
    takePlan: {
      label: 'Remove plan…',
      title: 'Remove the plan?',
      consequence: 'Each key gets the limits of its own plan again.',
      confirmLabel: 'Remove plan',
      needs: 'setAccountPlan',
      isPossible: plan !== null,
      change: (_form, query) => call('setAccountPlan', { id, query, body: { plan: null } }),
      done: 'Plan removed.',
    },
    suspend: {
      label: 'Suspend…',
      title: 'Suspend the account?',
      consequence:
        'All replicas refuse every key of the account within a second, until you resume the account. Responses say that the key is suspended, but not why.',
      confirmLabel: 'Suspend',
      needs: 'suspendAccount',
      isPossible: suspension === null,
      change: (_form, query) => call('suspendAccount', { id, query }),
      done: 'Account suspended.',
    },
  };
}
